import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'smol-toml';
import type { Unstable_RawConfig } from 'wrangler';
import { RegistryError } from '../base/error.ts';
import { configPath, projectDirectory } from './project.ts';

/** Reads an environment of a wrangler.toml, or its top level. `own` is undefined for an unknown environment. */
export function readEnvironment(file: string, environment: string | undefined) {
  const config = parse(readFileSync(file, 'utf8')) as Unstable_RawConfig;
  const own = environment === undefined ? config : config.env?.[environment];
  const database = own?.d1_databases?.find(({ binding }) => binding === 'DB');
  const lists = own?.kv_namespaces?.find(({ binding }) => binding === 'LISTS');
  const archive = own?.r2_buckets?.find(({ binding }) => binding === 'ARCHIVE');
  return { config, own, database, lists, archive };
}

/**
 * Does without wrangler, which loads slowly. Includes the secrets in .dev.vars. Throws `not_found` for
 * an unknown environment.
 */
export function readLocalConfig(environment: string | undefined) {
  const { config, own, database, lists, archive } = requireEnvironment(environment, 'env');
  return {
    compatibilityDate: config.compatibility_date!,
    databaseId: database?.preview_database_id ?? database?.database_id ?? 'DB',
    listsId: lists?.preview_id ?? lists?.id ?? 'LISTS',
    archive: archive?.preview_bucket_name ?? archive?.bucket_name,
    vars: { ...own.vars, ...readSecrets(environment) },
  };
}

/** Bindings for the local runtime with an environment's rate limits. Throws `not_found` for an unknown environment. */
export function readLimits(environment: string | undefined) {
  const { own } = requireEnvironment(environment, 'limits');
  const limiters = own.ratelimits?.map(({ name, ...limiter }) => [
    name,
    { type: 'ratelimit' as const, ...limiter },
  ]);
  const policy = { type: 'plain_text' as const, value: String(own.vars?.RATE_LIMIT_POLICY) };
  return { ...Object.fromEntries(limiters ?? []), RATE_LIMIT_POLICY: policy };
}

function requireEnvironment(environment: string | undefined, option: string) {
  const { own, ...read } = readEnvironment(configPath, environment);
  if (own) return { own, ...read };
  const message = `wrangler.toml has no environment ${JSON.stringify(environment)}`;
  throw new RegistryError('not_found', message, option);
}

export function readSecrets(environment: string | undefined): Record<string, string> {
  const names =
    environment === undefined ? ['.dev.vars'] : [`.dev.vars.${environment}`, '.dev.vars'];
  const file = names.map((name) => path.join(projectDirectory, name)).find(existsSync);
  if (!file) return {};
  return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
}

/** The hosts of the routes; one may have a `*`. */
export function hostsOf(file: string, environment: string): string[] {
  const { own } = readEnvironment(file, environment);
  const routes = own?.routes ?? [own?.route ?? []].flat();
  return routes.map((route) => {
    const pattern = typeof route === 'string' ? route : route.pattern;
    return pattern.replace(/^https?:\/\//, '').split('/')[0]!;
  });
}

export function domainAddress(file: string, environment: string): string | undefined {
  const host = hostsOf(file, environment).find((host) => !host.includes('*'));
  return host && `https://${host}`;
}

/** Undefined for a placeholder of zeros. */
export function deployedId(id: string | undefined): string | undefined {
  return id !== undefined && /[^0-]/.test(id) ? id : undefined;
}
