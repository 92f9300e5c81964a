import { userInfo } from 'node:os';
import { openDatabase } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { RegistryError } from '../base/error.ts';
import { currentTime } from '../base/time/clock.ts';
import type { Origin } from '../change/origin.ts';
import { countText } from '../view/text.ts';
import { type Bindings, type OpenBindings, opening } from './bindings.ts';
import { checkAfterRelease, checkClock, checkClockByHistory } from './clock.ts';
import { type CommonOptions, commandLine } from './command.ts';
import { openLocal } from './local/open.ts';
import { findMissingMigrations } from './migrate.ts';
import type { Batches } from './report/batches.ts';
import { readLocalConfig } from './wrangler-config.ts';

export type Registry = Awaited<ReturnType<typeof openRegistry>> & {
  /** Set by a command that writes in batches. */
  batches?: Batches;
};

export const openBindings: OpenBindings = async (options, access) =>
  options.remote ? (await import('./remote.ts')).openRemote(options) : openLocal(options, access);

/** The runtime refuses a clock that is before it. */
const releaseDay = (environment: string | undefined) =>
  readLocalConfig(environment).compatibilityDate;

/** Refuses a database with missing migrations, unless it may be empty, as for a restore. */
export async function openRegistry(
  options: CommonOptions,
  opened: AsyncDisposableStack,
  { mayBeEmpty = false } = {},
) {
  const isWritable = mayBeEmpty || options.dryRun !== undefined;
  const isChange = mayBeEmpty || options.dryRun === false;
  const open = opening.getStore() ?? openBindings;
  const isLocalChange = isChange && !options.remote;
  if (isLocalChange && !options.clockIsRight) checkAfterRelease(releaseDay(options.env));
  const { env, service, dispose }: Bindings = await open(options, { isWritable, mayBeEmpty });
  opened.defer(dispose);
  if (!mayBeEmpty) await retry(() => checkMigrations(env.DB, options));
  if (isChange && options.remote) await retry(() => checkClock(env.DB));
  if (isLocalChange && !options.clockIsRight && !mayBeEmpty) {
    await retry(() => checkClockByHistory(openDatabase(env.DB)));
  }
  // The environment of the command may override these.
  const { ZONES = env.ZONES, NAME_LETTERS = env.NAME_LETTERS } = process.env;
  const isDryRun = options.dryRun ?? false;
  const origin: Origin = {
    actor: { type: 'operator', name: `Operator ${operatorName()}` },
    request: { at: currentTime(), requestId: crypto.randomUUID() },
  };
  return {
    db: openDatabase(env.DB),
    env: {
      ...env,
      ...(ZONES !== undefined && { ZONES }),
      ...(NAME_LETTERS !== undefined && { NAME_LETTERS }),
    },
    ...(service !== undefined && { service }),
    origin,
    isDryRun,
    /** A command to type that works on this registry. */
    commandLine: (words: readonly string[]) => commandLine(words, options),
    did(verb: string, past = verb.endsWith('e') ? `${verb}d` : `${verb}ed`) {
      return isDryRun ? `would ${verb}` : past;
    },
  };
}

export async function checkMigrations(db: D1Database, options: CommonOptions): Promise<void> {
  const missing = await findMissingMigrations(db);
  if (missing.length === 0) return;
  const last = missing.length > 1 ? ` to ${missing.at(-1)}` : '';
  const lacked = `${countText(missing.length, 'migration')}, ${missing[0]}${last}`;
  const isEmpty = missing.some((name) => name.startsWith('0000_'));
  const { remote, env = remote && 'production' } = options;
  const apply = remote
    ? commandLine(['d1', 'migrations', 'apply', 'DB'], { remote, env }, 'npx wrangler')
    : commandLine(['--no-demo'], options, 'npm start --');
  throw new RegistryError(
    'not_found',
    `the database ${isEmpty ? 'has no tables yet' : 'is older than this program'}: it lacks ${lacked}; ` +
      `to apply them: ${apply}`,
  );
}

export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user id may have no account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
