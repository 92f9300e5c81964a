/** How an operator's change is made. */
export interface ChangeOptions {
  /** Checks the change and counts what it would do, but writes nothing. */
  isDryRun?: boolean | undefined;
}
