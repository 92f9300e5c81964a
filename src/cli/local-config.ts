import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'smol-toml';
import { RegistryError } from '../error.ts';
import { configPath, projectDirectory } from './project.ts';

/** What the local runtime needs to know of wrangler.toml. */
export interface LocalConfig {
  compatibilityDate: string;
  databaseId: string;
  listsId: string;
  /** Variables, and the secrets in .dev.vars. */
  vars: Record<string, string>;
}

interface Bindings {
  vars?: Record<string, string>;
  d1_databases?: { binding: string; database_id: string; preview_database_id?: string }[];
  kv_namespaces?: { binding: string; id: string; preview_id?: string }[];
}

interface WranglerConfig extends Bindings {
  compatibility_date: string;
  env?: Record<string, Bindings>;
}

/**
 * The configuration of an environment as `wrangler dev` reads it; loading wrangler for it takes longer than most
 * commands. Throws `not_found` for an environment that wrangler.toml does not have.
 */
export function readLocalConfig(environment: string | undefined): LocalConfig {
  const config = parse(readFileSync(configPath, 'utf8')) as unknown as WranglerConfig;
  const bindings = environment === undefined ? config : config.env?.[environment];
  if (!bindings) {
    const message = `wrangler.toml has no environment ${JSON.stringify(environment)}`;
    throw new RegistryError('not_found', message, 'env');
  }
  const database = bindings.d1_databases?.find(({ binding }) => binding === 'DB');
  const lists = bindings.kv_namespaces?.find(({ binding }) => binding === 'LISTS');
  return {
    compatibilityDate: config.compatibility_date,
    databaseId: database?.preview_database_id ?? database?.database_id ?? 'DB',
    listsId: lists?.preview_id ?? lists?.id ?? 'LISTS',
    vars: { ...bindings.vars, ...readSecrets(environment) },
  };
}

function readSecrets(environment: string | undefined): Record<string, string> {
  const names =
    environment === undefined ? ['.dev.vars'] : [`.dev.vars.${environment}`, '.dev.vars'];
  const file = names.map((name) => path.join(projectDirectory, name)).find(existsSync);
  if (!file) return {};
  return Object.fromEntries(
    Object.entries(parseEnv(readFileSync(file, 'utf8'))).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
