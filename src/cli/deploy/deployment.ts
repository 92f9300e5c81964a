/** One run of `npm run deploy`, and everything that it depends on. */
export interface Deployment {
  environment: string;
  configPath: string;
  /** Where what is created now runs and stays; `none` leaves it to the platform. It cannot be changed later. */
  jurisdiction: 'eu' | 'none';
  /** Runs wrangler and returns its standard output. If it fails, throws an Error with all of its output. */
  wrangler(args: readonly string[], input?: string): Promise<string>;
  publish(): Promise<void>;
  fetch(url: string): Promise<Response>;
  /** The rows of a query about data points. */
  analytics(sql: string): Promise<Record<string, unknown>[]>;
  ask(question: string): Promise<boolean>;
  /** The share of the requests, in percent, that a gradual deployment gives to the new build first. */
  share?: number | undefined;
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
  /** Looks at the account, changes nothing, and says what is there or to create; absent where there is nothing to see. */
  look?(deployment: Deployment): Promise<string>;
  /** Does it, and returns the result in a few words. */
  run(deployment: Deployment): Promise<string>;
}

/**
 * Prints every step with what the account has of it, and does none. What the login does not let it see, it names; without
 * a login it looks at nothing.
 */
export async function printPlan(steps: readonly Step[], deployment: Deployment): Promise<void> {
  const unseen: string[] = [];
  let obstacle: string | undefined;
  for (const [index, step] of steps.entries()) {
    const look = step.look && obstacle === undefined ? step.look : undefined;
    let state = step.look ? `not looked at: ${obstacle}` : 'done each time';
    try {
      if (look) state = await look(deployment);
      else unseen.push(step.title);
    } catch (error) {
      const reason = reasonOf(error as Error);
      unseen.push(step.title);
      state = `not looked at: ${reason}`;
      // Whatever comes after the login needs it.
      if (index === 0) obstacle = /not logged in/.test(reason) ? 'not logged in' : 'no login';
    }
    deployment.say(`${index + 1}. ${step.title}: ${state}`);
    for (const line of step.plan(deployment)) deployment.say(`     ${line}`);
  }
  deployment.say(`\nNothing was changed. Not looked at: ${unseen.join(', ')}.`);
}

/** The line that says it, of everything that wrangler has printed. */
function reasonOf({ message }: Error): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => line.includes('[ERROR]')) ?? lines[0] ?? 'no reason given').trim();
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
