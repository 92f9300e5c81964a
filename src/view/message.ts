/** The innermost message. Drizzle's own contains the whole statement with its values. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // For a host with several addresses, the error has one error for each, and no message.
  const hasNone = error instanceof AggregateError && error.message === '';
  const inner = hasNone ? error.errors[0] : error.cause;
  return inner instanceof Error ? messageOf(inner) : error.message;
}
