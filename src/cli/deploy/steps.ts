import { randomBytes } from 'node:crypto';
import { listMigrations, restoreMarker, unfinishedRestore } from '../migrate.ts';
import { archiveStep } from './archive.ts';
import { backupsStep } from './backups.ts';
import type { Deployment, Step } from './deployment.ts';
import {
  absentIf,
  configOf,
  databaseStep,
  env,
  listsStep,
  loginStep,
  queuesStep,
  typed,
} from './resources.ts';

const migrating = ['d1', 'migrations', 'apply', 'DB', '--remote'];

const migrations: Step = {
  title: 'Migrations',
  plan: (deployment) => [typed(...migrating, ...env(deployment))],
  // `wrangler d1 migrations list` would create the table that it reads.
  async look(deployment) {
    if (configOf(deployment).database.id === undefined) {
      throw new Error('wrangler.toml names no database yet');
    }
    await refuseUnfinishedRestore(deployment);
    const applied = await absentIf(
      /no such table: d1_migrations/,
      query(deployment, 'select name from d1_migrations'),
    );
    const names = new Set((applied ?? []).map(({ name }) => name));
    const missing = listMigrations().filter((name) => !names.has(name));
    return missing.length === 0 ? 'there' : `to apply: ${missing.join(', ')}`;
  },
  async run(deployment) {
    await refuseUnfinishedRestore(deployment);
    await deployment.wrangler([...migrating, ...env(deployment)]);
    return 'applied';
  },
};

async function refuseUnfinishedRestore(deployment: Deployment): Promise<void> {
  const find = `select count(*) as count from sqlite_schema where name = '${restoreMarker}'`;
  const [found] = await query(deployment, find);
  if (found!.count === 0) return;
  const [unfinished] = await query(deployment, `select command from ${restoreMarker}`);
  throw new Error(unfinishedRestore(String(unfinished!.command)));
}

async function query(deployment: Deployment, sql: string): Promise<Record<string, unknown>[]> {
  const args = ['d1', 'execute', 'DB', '--remote', ...env(deployment), '--json'];
  const [{ results }] = JSON.parse(await deployment.wrangler([...args, '--command', sql]));
  return results;
}

/** The keys that sign tokens and the log, and what makes one. */
const keys: Record<string, () => string> = {
  REGISTRANT_TOKEN_KEYS: () => `k1:${randomBytes(32).toString('hex')}`,
  LOG_KEY: () => randomBytes(32).toString('base64'),
};

/** Before the Worker, which answers 500 without the first; wrangler then creates an empty Worker that holds them. */
const signingKeys: Step = {
  title: 'Keys that sign',
  plan: (deployment) => [
    typed('secret', 'list', ...env(deployment), '--format', 'json'),
    ...Object.keys(keys).map(
      (name) =>
        `${typed('secret', 'put', name, ...env(deployment))}, with a new random key, if there is none`,
    ),
  ],
  look: async (deployment) => {
    const missing = await missingKeys(deployment);
    return missing.length === 0 ? 'there' : `to create: ${missing.join(', ')}`;
  },
  async run(deployment) {
    const missing = await missingKeys(deployment);
    for (const name of missing) {
      await deployment.wrangler(['secret', 'put', name, ...env(deployment)], keys[name]!());
    }
    if (missing.length === 0) return 'kept';
    const isNewToReaders = missing.includes('LOG_KEY') && configOf(deployment).vars.LOG_ORIGIN;
    return `made and set: ${missing.join(', ')}${isNewToReaders ? '; announce the line of /log/key' : ''}`;
  },
};

async function missingKeys(deployment: Deployment): Promise<string[]> {
  const secrets = await listSecrets(deployment);
  return Object.keys(keys).filter((name) => !secrets?.includes(name));
}

/** The names of the Worker's secrets; undefined if there is no Worker. */
async function listSecrets(deployment: Deployment): Promise<string[] | undefined> {
  const list = deployment.wrangler(['secret', 'list', ...env(deployment), '--format', 'json']);
  const listed = await absentIf(/Worker ".*" .*not found/, list);
  return listed && JSON.parse(listed).map(({ name }: { name: string }) => name);
}

const worker: Step = {
  title: 'Worker',
  plan: (deployment) => [typed('deploy', ...env(deployment))],
  look: async (deployment) =>
    (await listSecrets(deployment)) ? 'there, to be replaced' : 'to create',
  async run(deployment) {
    const printed = await deployment.wrangler(['deploy', ...env(deployment)]);
    deployment.address = addressIn(printed);
    deployment.build = buildIn(printed);
    return `deployed build ${deployment.build}, ${deployment.address ?? 'without an address'}`;
  },
};

/** The id of the version that `wrangler deploy` has uploaded. */
function buildIn(printed: string): string {
  const [, build] = /^Current Version ID: (\S+)/m.exec(printed) ?? [];
  if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
  return build;
}

/** The address that `wrangler deploy` says the Worker answers at; a domain of the registry's own comes first. */
export function addressIn(printed: string): string | undefined {
  const [, domain] =
    /^\s*(?:https:\/\/)?([\w.-]+)\S* \((?:custom domain|zone)/m.exec(printed) ?? [];
  const [, url] = /(https:\/\/[\w.-]+\.workers\.dev)/.exec(printed) ?? [];
  return domain === undefined ? url : `https://${domain}`;
}

const publication: Step = {
  title: 'Public lists',
  plan: ({ environment }) => [
    `npm run registry -- lists publish --remote --env ${environment} --yes`,
  ],
  async run({ publish }) {
    await publish();
    return 'published';
  },
};

/** A new address takes a while to be known, and an answer of the build before is cached for seconds. */
const healthTries = 20;
const healthPauseMilliseconds = 3_000;

const health: Step = {
  title: 'Health',
  plan: () => ['GET /health, until the new build answers'],
  async run({ address, build, fetch, pause }) {
    if (address === undefined) return 'not asked, because the Worker has no address';
    let last = 'no answer';
    for (let tries = 1; tries <= healthTries; tries++) {
      if (tries > 1) await pause(healthPauseMilliseconds);
      try {
        const response = await fetch(`${address}/health`);
        const body = (await response.json()) as { version: string; build: string; reason?: string };
        const { version, reason } = body;
        last = `${response.status}, release ${version}, build ${body.build}${reason ? `: ${reason}` : ''}`;
        if (response.ok && body.build === build) return last;
      } catch (error) {
        last = (error as Error).message;
      }
    }
    throw new Error(`${address}/health: ${last}`);
  },
};

/**
 * The steps of a deployment that deploys the Worker by these, with others before anything is changed. In this order the
 * Worker that runs meanwhile always has what it needs.
 */
export const stepsWith = (
  deploying: readonly Step[],
  checks: readonly Step[] = [],
): readonly Step[] => [
  loginStep,
  ...checks,
  databaseStep,
  listsStep,
  queuesStep,
  archiveStep,
  migrations,
  signingKeys,
  ...deploying,
  publication,
  health,
  backupsStep,
];

export const steps = stepsWith([worker]);

const countRegistrars = 'select count(*) as count from registrars';

/** The decisions that only a person can take, as far as they are not taken. */
export async function listLeft(deployment: Deployment): Promise<string[]> {
  const { environment, address } = deployment;
  const { vars } = configOf(deployment);
  const isClosed = (setting: string) => /^[\s,]*(127[\d./]*|::1|[\s,])*$/.test(vars[setting] ?? '');
  const [registrars] = await query(deployment, countRegistrars);
  const tool = (words: string) => `npm run registry -- ${words} --remote --env ${environment}`;
  const hasNoDomain = address === undefined || address.endsWith('.workers.dev');
  const url = hasNoDomain && address ? ` --url ${address}` : '';
  return [
    ...(isClosed('AUCTION_API_ALLOWED_IPS')
      ? ['Set AUCTION_API_ALLOWED_IPS in wrangler.toml: nobody may report on auctions yet.']
      : []),
    ...(isClosed('REGISTRANT_AUTH_ALLOWED_IPS')
      ? ['Set REGISTRANT_AUTH_ALLOWED_IPS in wrangler.toml: nobody may ask for tokens yet.']
      : []),
    ...(vars.LOG_ORIGIN
      ? []
      : [
          'Set LOG_ORIGIN in wrangler.toml, to the host name and /log, and never change it: no log of the lists is kept yet. Then announce the line of /log/key.',
        ]),
    ...(registrars!.count === 0
      ? [`Add the first registrar: ${tool('registrar add --code … --name …')}`]
      : []),
    ...(hasNoDomain ? ["Give the Worker the registry's own domain: routes in wrangler.toml."] : []),
    `Once: go through the check list in src/cli/runbook.md. At any time: ${tool('health')}${url}`,
  ];
}
