import { existsSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import { RegistryError } from '../error.ts';
import type { Origin } from '../history.ts';
import type { CommonOptions } from './command.ts';
import { configPath, projectDirectory } from './project.ts';
import { type Bindings, openRemote } from './remote.ts';

/** The registry that a command works on, until it is disposed of. */
export interface Registry extends AsyncDisposable {
  db: Database;
  /** Bindings and settings. */
  env: Env;
  /** The operator, now. */
  origin: Origin;
  isDryRun: boolean;
}

/** Opens the local registry, or with --remote the deployed one. Refuses a database that lacks migrations. */
export async function openRegistry(options: CommonOptions): Promise<Registry> {
  // Wrangler tells on standard output which files it reads.
  process.env.WRANGLER_LOG ??= 'error';
  // Otherwise each start of the local runtime asks Cloudflare where this machine is.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
  const { env, dispose } = options.remote ? await openRemote(options) : await openLocal(options);
  const registry: Registry = {
    db: openDatabase(env.DB),
    env,
    origin: {
      actorType: 'operator',
      actor: `Operator ${operatorName()}`,
      at: new Date(),
      requestId: crypto.randomUUID(),
    },
    isDryRun: options.dryRun ?? false,
    [Symbol.asyncDispose]: dispose,
  };
  try {
    await checkMigrations(registry.db);
  } catch (error) {
    await dispose();
    throw error;
  }
  return registry;
}

async function openLocal(options: CommonOptions): Promise<Bindings> {
  const directory = path.resolve(
    options.persistTo ?? path.join(projectDirectory, '.wrangler/state'),
  );
  // `wrangler dev --persist-to DIR` keeps its state below DIR/v3. Opening would create it.
  const state = path.join(directory, 'v3');
  if (!existsSync(path.join(state, 'd1'))) {
    const start = `npm start${options.persistTo ? ` -- --persist-to ${options.persistTo}` : ''}`;
    throw new RegistryError(
      'not_found',
      `there is no local database in ${directory}; create it with: ${start}`,
    );
  }
  const { getPlatformProxy } = await import('wrangler');
  const { env, dispose } = await getPlatformProxy<Env>({
    configPath,
    environment: options.env,
    persist: { path: state },
    remoteBindings: false,
  });
  return { env, dispose };
}

async function checkMigrations(db: Database): Promise<void> {
  const names = readdirSync(path.join(projectDirectory, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const [table] = await db.all<{ name: string }>(
    sql`select name from sqlite_master where name = 'd1_migrations'`,
  );
  const rows = table ? await db.all<{ name: string }>(sql`select name from d1_migrations`) : [];
  const applied = new Set(rows.map((row) => row.name));
  const missing = names.filter((name) => !applied.has(name));
  if (missing.length === 0) return;
  throw new RegistryError(
    'not_found',
    `the database ${table ? 'is older than this program' : 'has no tables yet'}: it lacks ${missing.join(', ')}; ` +
      'npm start applies them to a local database, npx wrangler d1 migrations apply to a deployed one',
  );
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
