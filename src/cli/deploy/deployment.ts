/** One run of `npm run deploy`, and everything that it depends on. */
export interface Deployment {
  environment: string;
  configPath: string;
  /** Runs wrangler and returns what it printed to standard output. Throws an Error with all of its output if it fails. */
  wrangler(args: readonly string[], input?: string): Promise<string>;
  /** Publishes the deployed lists that are behind. */
  publish(): Promise<void>;
  fetch(url: string): Promise<Response>;
  pause(milliseconds: number): Promise<void>;
  say(line: string): void;
  /** The Worker's address, as the step that deploys it has learnt; undefined if it has none. */
  address?: string | undefined;
  /** The id of the version that this step has uploaded, which `/health` calls its build. */
  build?: string;
}

/** A step finds out what exists and creates what is missing, so that a deployment can be repeated from its start. */
export interface Step {
  title: string;
  /** The commands that a person would run instead. */
  plan(deployment: Deployment): string[];
  /** Does it, and returns the result in a few words. */
  run(deployment: Deployment): Promise<string>;
}

/** Prints every step and does none. Needs no account. */
export function printPlan(steps: readonly Step[], deployment: Deployment): void {
  for (const [index, { title, plan }] of steps.entries()) {
    deployment.say(`${index + 1}. ${title}`);
    for (const line of plan(deployment)) deployment.say(`     ${line}`);
  }
}

/** Does one step after the other, and stops at the first that fails. Returns whether all were done. */
export async function runSteps(steps: readonly Step[], deployment: Deployment): Promise<boolean> {
  for (const { title, run } of steps) {
    try {
      deployment.say(`  ✓ ${title}: ${await run(deployment)}`);
    } catch (error) {
      deployment.say(`  ✗ ${title}`);
      deployment.say(`\n${(error as Error).message}\n`);
      deployment.say('Nothing is lost: when the cause is gone, run the command again.');
      return false;
    }
  }
  return true;
}
