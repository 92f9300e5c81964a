import { userInfo } from 'node:os';
import { openDatabase } from '../base/database/open.ts';
import { RegistryError } from '../base/error.ts';
import { currentTime } from '../base/time/clock.ts';
import type { Origin } from '../change/origin.ts';
import { countText } from '../view/text.ts';
import { type Bindings, type OpenBindings, opening } from './bindings.ts';
import { type CommonOptions, commandLine } from './command.ts';
import { openLocal } from './local/open.ts';
import { findMissingMigrations } from './migrate.ts';
import type { Batches } from './report/batches.ts';

export type Registry = Awaited<ReturnType<typeof openRegistry>> & {
  /** Set by a command that writes in batches. */
  batches?: Batches;
};

export const openBindings: OpenBindings = async (options, access) =>
  options.remote ? (await import('./remote.ts')).openRemote(options) : openLocal(options, access);

/** Refuses a database with missing migrations, unless it may be empty, as for a restore. */
export async function openRegistry(
  options: CommonOptions,
  opened: AsyncDisposableStack,
  { mayBeEmpty = false } = {},
) {
  const isWritable = mayBeEmpty || options.dryRun !== undefined;
  const isChange = mayBeEmpty || options.dryRun === false;
  const open = opening.getStore() ?? openBindings;
  const { env, service, dispose }: Bindings = await open(options, { isWritable, mayBeEmpty });
  opened.defer(dispose);
  if (!mayBeEmpty) await checkMigrations(env.DB, options);
  if (options.remote && isChange) await checkClock(env.DB);
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

/** Changes and publications have this machine's time, which decides their day in the archive. */
const maximumClockDifference = 10_000;

/** Throws `invalid` if this machine's clock and the deployed database's differ by more. One round trip. */
export async function checkClock(db: D1Database, clock: () => Date = currentTime): Promise<void> {
  const before = clock().getTime();
  const query = db.prepare(`select strftime('%Y-%m-%dT%H:%M:%fZ', 'now') as now`);
  const now = Date.parse((await query.first<string>('now'))!);
  if (Math.max(before - now, now - clock().getTime()) <= maximumClockDifference) return;
  const difference = `${Math.round((before - now) / 1000)} seconds from`;
  throw new RegistryError(
    'invalid',
    `this machine's clock is ${difference} the database's: set it`,
  );
}
