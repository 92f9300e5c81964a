import { userInfo } from 'node:os';
import { currentTime } from '../clock.ts';
import { type Database, openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import { RegistryError } from '../error.ts';
import type { Origin } from '../write.ts';
import type { CommonOptions } from './command.ts';
import { openLocal } from './local.ts';
import { findMissingMigrations } from './migrate.ts';
import { currentSession } from './session.ts';

/** The registry that a command works on. */
export interface Registry {
  db: Database;
  /** Bindings and settings; the zones may also come from the environment of the command. */
  env: Env;
  /** The operator, now. */
  origin: Origin;
  isDryRun: boolean;
  /** The outcome of a regular verb: `added`, or `would add` in a dry run. */
  did(verb: string): string;
}

/**
 * Opens the local registry, or the deployed one with --remote. Refuses a database that lacks migrations, unless it may be
 * empty.
 */
export async function openRegistry(
  options: CommonOptions,
  { mayBeEmpty = false } = {},
): Promise<Registry> {
  const isWritable = mayBeEmpty || options.dryRun !== undefined;
  const { env } = await currentSession().bindings(options, { isWritable }, async () =>
    options.remote
      ? (await import('./remote.ts')).openRemote(options)
      : openLocal(options, { isWritable }),
  );
  if (!mayBeEmpty) await checkMigrations(env.DB);
  const { ZONES = env.ZONES } = process.env;
  const isDryRun = options.dryRun ?? false;
  return {
    db: openDatabase(env.DB),
    env: { ...env, ...(ZONES !== undefined && { ZONES }) },
    origin: {
      actor: { type: 'operator', name: `Operator ${operatorName()}` },
      request: { at: currentTime(), requestId: crypto.randomUUID() },
    },
    isDryRun,
    did(verb) {
      if (isDryRun) return `would ${verb}`;
      return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
    },
  };
}

async function checkMigrations(db: D1Database): Promise<void> {
  const missing = await findMissingMigrations(db);
  if (missing.length === 0) return;
  const isEmpty = missing.some((name) => name.startsWith('0000_'));
  throw new RegistryError(
    'not_found',
    `the database ${isEmpty ? 'has no tables yet' : 'is older than this program'}: it lacks ${missing.join(', ')}; ` +
      'npm start applies them to a local database, npx wrangler d1 migrations apply to a deployed one',
  );
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without an account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
