/** One run of `npm run deploy`, and everything that it depends on. */
export interface Deployment {
  environment: string;
  configPath: string;
  /** The jurisdiction of what is created now, which cannot be changed later; `none` leaves the place to the platform. */
  jurisdiction: 'eu' | 'none';
  /** Runs wrangler and returns its standard output. If it fails, throws an Error with all of its output. */
  wrangler(args: readonly string[], input?: string): Promise<string>;
  publish(): Promise<void>;
  fetch(url: string): Promise<Response>;
  /** Returns the rows of a query about data points. */
  analytics(sql: string): Promise<Record<string, unknown>[]>;
  /** Returns the account's subdomain of workers.dev; undefined if it has none. */
  subdomain(): Promise<string | undefined>;
  ask(question: string): Promise<boolean>;
  /** The percentage of the requests that a gradual deployment first gives to the new build. */
  share?: number | undefined;
  pause(milliseconds: number): Promise<void>;
  say(line: string): void;
  /** The Worker's address, once it is deployed; undefined if it has none. */
  address?: string | undefined;
  /** The id of the uploaded version, which `/health` calls the build. */
  build?: string;
}

/** A call of wrangler, or something else to do, in words that a person could follow. */
export interface Command {
  words: string;
  /** Returns the result in a few words. */
  run(): Promise<string>;
}

/** Looks at what the account has, and gives the commands for what it lacks, so that a deployment can be repeated. */
export interface Step<Found = unknown> {
  title: string;
  /** Looks at the account and changes nothing. A step without it is done each time. */
  find?(deployment: Deployment): Promise<Found & { state: string }>;
  /** The commands that are left to run after what was found; without that, those for a new account. */
  commands(deployment: Deployment, found?: Found): Command[];
}

/** A call of wrangler. `resultOf` reads the result from its output. */
export const calling = (
  { wrangler }: Deployment,
  args: readonly string[],
  resultOf: (printed: string) => string,
): Command => ({
  words: `wrangler ${args.join(' ')}`,
  run: async () => resultOf(await wrangler(args)),
});

/**
 * Prints each step, its state in the account and its commands; runs none. Names the steps that the login cannot look
 * at, and prints their commands as for a new account; without a login it looks at none.
 */
export async function printPlan(steps: readonly Step[], deployment: Deployment): Promise<void> {
  const unseen: string[] = [];
  let obstacle: string | undefined;
  for (const [index, step] of steps.entries()) {
    let found: { state: string } | undefined;
    let state = step.find ? `not looked at: ${obstacle}` : 'done each time';
    try {
      if (obstacle === undefined) found = await step.find?.(deployment);
    } catch (error) {
      state = `failed: ${reasonOf(error as Error)}`;
      // All other steps need the login.
      if (index === 0) obstacle = /not logged in/.test(state) ? 'not logged in' : 'no login';
    }
    if (!found) unseen.push(step.title);
    deployment.say(`${index + 1}. ${step.title}: ${found?.state ?? state}`);
    for (const { words } of step.commands(deployment, found)) deployment.say(`     ${words}`);
  }
  const rest = unseen.length === 0 ? '' : ` Not looked at: ${unseen.join(', ')}.`;
  deployment.say(`\nNothing was changed.${rest}`);
  if (rest) deployment.say('What was not looked at is shown as if it were missing.');
}

/** The line of wrangler's output that names the error. */
function reasonOf({ message }: Error): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => line.includes('[ERROR]')) ?? lines[0] ?? 'no reason given').trim();
}

/** Runs one step after the other, and stops at the first that fails. Returns whether all were done. */
export async function runSteps(steps: readonly Step[], deployment: Deployment): Promise<boolean> {
  for (const step of steps) {
    try {
      const found = await step.find?.(deployment);
      const results: string[] = [];
      for (const { run } of step.commands(deployment, found)) results.push(await run());
      const outcome = results.length === 0 ? found?.state : results.join('; ');
      deployment.say(`  ✓ ${step.title}: ${outcome}`);
    } catch (error) {
      deployment.say(`  ✗ ${step.title}`);
      deployment.say(`\n${(error as Error).message}\n`);
      deployment.say('Nothing is lost: when the cause is gone, run the command again.');
      return false;
    }
  }
  return true;
}
