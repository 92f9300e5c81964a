import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Unstable_Config } from 'wrangler';
import type { Env } from '../base/env.ts';
import { RegistryError } from '../base/error.ts';
import type { Bindings } from './bindings.ts';
import type { CommonOptions } from './command.ts';
import { endRuntimesWithProcess } from './local/runtime.ts';
import { configPath, projectDirectory } from './project.ts';
import { confirm } from './report/confirm.ts';
import { deployedId } from './wrangler-config.ts';

/**
 * Opens the deployed data with wrangler's login (`wrangler login` or CLOUDFLARE_API_TOKEN), after the operator has
 * confirmed it.
 */
export async function openRemote(options: CommonOptions): Promise<Bindings> {
  // Keeps wrangler's messages out of standard output.
  process.env.WRANGLER_LOG ??= 'error';
  endRuntimesWithProcess();
  const { getPlatformProxy, unstable_readConfig } = await import('wrangler');
  const environment = options.env ?? 'production';
  const config = remoteConfig(unstable_readConfig({ config: configPath, env: environment }));
  if (!options.yes) {
    const names = config.d1_databases.map((each) => `${each.database_name} (${each.database_id})`);
    const statement = `This works on the deployed database ${names.join(', ')} of the environment ${environment}.`;
    await confirm(statement);
  }
  // A directory without .dev.vars, but inside the project, where the login may be.
  const parent = path.join(projectDirectory, '.wrangler/tmp');
  await mkdir(parent, { recursive: true });
  await using directory = await mkdtempDisposable(path.join(parent, 'registry-'));
  const file = path.join(directory.path, 'wrangler.json');
  await writeFile(file, JSON.stringify(config));
  return getPlatformProxy<Env>({ configPath: file, persist: false });
}

/**
 * Leaves out preview ids, which wrangler would prefer. Throws `invalid` while wrangler.toml has
 * placeholders.
 */
export function remoteConfig(config: Unstable_Config) {
  const { name, account_id, compatibility_date, compliance_region, vars } = config;
  const remote = true;
  const d1_databases = config.d1_databases.map(({ binding, database_name, database_id: id }) => {
    const database_id = requireId(id, `database ${database_name}`);
    return { binding, database_name, database_id, remote };
  });
  const kv_namespaces = config.kv_namespaces.map(({ binding, id }) => {
    return { binding, id: requireId(id, `KV namespace ${binding}`), remote };
  });
  const r2_buckets = config.r2_buckets
    .filter(({ binding }) => binding === 'ARCHIVE')
    .map(({ binding, bucket_name, jurisdiction }) => {
      return { binding, bucket_name, jurisdiction, remote };
    });
  const deployed = { name, account_id, compatibility_date, compliance_region, vars };
  return { ...deployed, d1_databases, kv_namespaces, r2_buckets };
}

function requireId(id: string | undefined, thing: string): string {
  const message = `wrangler.toml has no id of a deployed ${thing}; deploy the registry first`;
  if (deployedId(id) === undefined) throw new RegistryError('invalid', message);
  return id!;
}
