export interface Deployment {
  environment: string;
  configPath: string;
  /** The jurisdiction of new resources, which is permanent. `none` leaves the place to the platform. */
  jurisdiction: 'eu' | 'none';
  /** Returns the standard output. Throws an Error with all output if wrangler fails. */
  wrangler(args: readonly string[], input?: string): Promise<string>;
  publish(): Promise<void>;
  /** Follows no redirect. */
  fetch(url: string): Promise<Response>;
  subdomain(): Promise<string | undefined>;
  /** Whether a host name has an address. */
  hasAddress(host: string): Promise<boolean>;
  pause(milliseconds: number): Promise<void>;
  say(line: string): void;
  address?: string | undefined;
  /** The id of the uploaded version, which `/health` calls the build. */
  build?: string;
  /** Where the staff's desk is to answer, and its wrangler.toml; absent without one. */
  desk?: { host: string; configPath: string };
}

/** A call of wrangler, or another action, in words that a person could follow. */
export interface Command {
  words: string;
  run(): Promise<string | undefined>;
}

export interface Step {
  title: string;
  plan(deployment: Deployment): Promise<{ state: string; commands: Command[] }>;
}

/**
 * Returns the output of a wrangler command, or undefined if its error says that the resource is absent. Throws any other error: counted as
 * absence, it would replace an existing key.
 */
export async function look({ wrangler }: Deployment, words: string, absent: RegExp) {
  return wrangler(words.split(' ')).catch((error: Error) => {
    if (absent.test(error.message)) return undefined;
    throw error;
  });
}

export const calling = (deployment: Deployment, words: string, key?: string) => ({
  words: `wrangler ${words}${key ? ', with a new random key' : ''}`,
  run: async () => {
    await deployment.wrangler(words.split(' '), key);
    return undefined;
  },
});

export const eachTime = (
  title: string,
  words: (deployment: Deployment) => string,
  run: (deployment: Deployment) => Promise<string>,
): Step => ({
  title,
  plan: async (deployment) => ({
    state: 'done each time',
    commands: [{ words: words(deployment), run: () => run(deployment) }],
  }),
});

export function buildOf(printed: string): string {
  const [, build] = /^Current Version ID: (\S+)/m.exec(printed) ?? [];
  if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
  return build;
}

/** Asks for a minute, because a new address takes a while to resolve. Throws an Error with the last response. */
export async function poll(
  { fetch, pause }: Deployment,
  url: string,
  isRight: (response: Response, text: string) => boolean,
): Promise<string> {
  let last = '';
  for (let tries = 1; tries <= 20; tries++) {
    if (tries > 1) await pause(3_000);
    try {
      const response = await fetch(url);
      const text = await response.text();
      last = `${response.status} ${text.slice(0, 2_000)}`;
      if (isRight(response, text)) return last;
    } catch (error) {
      last = (error as Error).message;
    }
  }
  throw new Error(`${url}: ${last}`);
}

/** Where a Worker would answer below workers.dev. An address of a version begins with the first eight digits of its id. */
export async function workersDevHosts({ build = '', subdomain }: Deployment, worker: string) {
  const account = await subdomain();
  if (account === undefined) return [];
  const host = `${worker}.${account}.workers.dev`;
  return [`${build.slice(0, 8)}-${host}`, host];
}

export const inJurisdiction = (jurisdiction: Deployment['jurisdiction']) =>
  jurisdiction === 'none' ? '' : ` --jurisdiction ${jurisdiction}`;

export const lacking = (missing: readonly string[], create: (name: string) => Command) => ({
  state: missing.length === 0 ? 'there' : `to create: ${missing.join(', ')}`,
  commands: missing.map(create),
});

export class NotLoggedInError extends Error {}

async function emptyAccount(args: readonly string[]): Promise<string> {
  if (args.includes('list')) return '[]';
  throw new Error('Queue "" does not exist. Worker "" not found. The bucket does not exist.');
}

/** Prints the steps; without a login, for an empty account. */
export async function printPlan(steps: readonly Step[], deployment: Deployment): Promise<void> {
  const { say } = deployment;
  let account = deployment;
  for (const [index, { title, plan }] of steps.entries()) {
    const { state, commands } = await plan(account).catch((error) => {
      if (error instanceof NotLoggedInError) account = { ...deployment, wrangler: emptyAccount };
      else if (account === deployment) throw error;
      return { state: error.message, commands: [] };
    });
    say(`${index + 1}. ${title}: ${state}`);
    for (const { words } of commands) say(`     ${words}`);
  }
  if (account !== deployment)
    say('\nNo account was looked at: these are the steps for an empty one.');
  say('\nNothing was changed.');
}

/** Stops at the first failure. Returns whether all steps succeeded. */
export async function runSteps(steps: readonly Step[], deployment: Deployment): Promise<boolean> {
  const { say } = deployment;
  for (const { title, plan } of steps) {
    try {
      const { state, commands } = await plan(deployment);
      const results: string[] = [];
      for (const { words, run } of commands) results.push((await run()) ?? words);
      say(`  ✓ ${title}: ${results.join('; ') || state}`);
    } catch (error) {
      say(`  ✗ ${title}\n\n${(error as Error).message}\n`);
      say('Nothing is lost: when the cause is gone, run the command again.');
      return false;
    }
  }
  return true;
}
