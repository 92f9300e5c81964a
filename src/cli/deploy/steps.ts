import { randomBytes } from 'node:crypto';
import { listMigrations, restoreMarker, unfinishedRestore } from '../migrate.ts';
import { otherAddressesStep } from './addresses.ts';
import { archiveStep, backupsStep } from './buckets.ts';
import { calling, type Deployment, type Step } from './deployment.ts';
import {
  absentIf,
  configOf,
  databaseStep,
  env,
  type Lacking,
  lacking,
  listsStep,
  loginStep,
  queuesStep,
} from './resources.ts';

const migrationsStep: Step<Lacking> = {
  title: 'Migrations',
  async find(deployment) {
    if (configOf(deployment).database.id === undefined) {
      return { missing: listMigrations(), state: 'to apply once wrangler.toml names a database' };
    }
    await refuseUnfinishedRestore(deployment);
    // `wrangler d1 migrations list` would create the table that it reads.
    const listed = query(deployment, 'select name from d1_migrations');
    const applied = (await absentIf(/no such table: d1_migrations/, listed)) ?? [];
    const names = new Set(applied.map(({ name }) => name));
    return lacking(
      listMigrations().filter((name) => !names.has(name)),
      'apply',
    );
  },
  commands(deployment, { missing } = { missing: listMigrations() }) {
    if (missing.length === 0) return [];
    const args = ['d1', 'migrations', 'apply', 'DB', '--remote', ...env(deployment)];
    return [calling(deployment, args, () => `applied ${missing.join(', ')}`)];
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

/** Makes each key that signs tokens or the log. */
const keys: Record<string, () => string> = {
  REGISTRANT_TOKEN_KEYS: () => `k1:${randomBytes(32).toString('hex')}`,
  LOG_KEY: () => randomBytes(32).toString('base64'),
};

/** It comes before the Worker, which answers 500 without the first key; wrangler then creates an empty one to hold them. */
const signingKeys: Step<Lacking> = {
  title: 'Keys that sign',
  async find(deployment) {
    const secrets = await listSecrets(deployment);
    return lacking(Object.keys(keys).filter((name) => !secrets?.includes(name)));
  },
  commands(deployment, { missing } = { missing: Object.keys(keys) }) {
    const { LOG_ORIGIN } = configOf(deployment).vars;
    return missing.map((name) => {
      const args = ['secret', 'put', name, ...env(deployment)];
      return {
        words: `wrangler ${args.join(' ')}, with a new random key`,
        async run() {
          await deployment.wrangler(args, keys[name]!());
          const isNewToReaders = name === 'LOG_KEY' && LOG_ORIGIN;
          return `set ${name}${isNewToReaders ? '; announce the line of /log/key' : ''}`;
        },
      };
    });
  },
};

/** The names of the Worker's secrets; undefined if there is no Worker. */
async function listSecrets(deployment: Deployment): Promise<string[] | undefined> {
  const list = deployment.wrangler(['secret', 'list', ...env(deployment), '--format', 'json']);
  const listed = await absentIf(/Worker ".*" .*not found/, list);
  return listed && JSON.parse(listed).map(({ name }: { name: string }) => name);
}

const worker: Step = {
  title: 'Worker',
  find: async (deployment) => ({
    state: (await listSecrets(deployment)) ? 'there, to be replaced' : 'to create',
  }),
  commands: (deployment) => [
    calling(deployment, ['deploy', ...env(deployment)], (printed) => {
      deployment.address = addressIn(printed);
      deployment.build = buildIn(printed, 'Current');
      return `deployed build ${deployment.build}, ${deployment.address ?? 'without an address'}`;
    }),
  ],
};

/** The id of the version that wrangler has uploaded. Throws an Error if it names none. */
export function buildIn(printed: string, label: 'Current' | 'Worker'): string {
  const [, build] = new RegExp(`^${label} Version ID: (\\S+)`, 'm').exec(printed) ?? [];
  if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
  return build;
}

/** The Worker's address in the output of `wrangler deploy`; the registry's own domain comes first. */
export function addressIn(printed: string): string | undefined {
  const [, domain] =
    /^\s*(?:https:\/\/)?([\w.-]+)\S* \((?:custom domain|zone)/m.exec(printed) ?? [];
  const [, url] = /(https:\/\/[\w.-]+\.workers\.dev)/.exec(printed) ?? [];
  return domain === undefined ? url : `https://${domain}`;
}

const publication: Step = {
  title: 'Public lists',
  commands: ({ environment, publish }) => [
    {
      words: `npm run registry -- lists publish --remote --env ${environment} --yes`,
      run: async () => {
        await publish();
        return 'published';
      },
    },
  ],
};

/** A new address takes a while to resolve, and the old build's answer is cached for some seconds. */
const healthTries = 20;
const healthPauseMilliseconds = 3_000;

const health: Step = {
  title: 'Health',
  commands: (deployment) => [
    { words: 'GET /health, until the new build answers', run: () => waitForHealth(deployment) },
  ],
};

async function waitForHealth({ address, build, fetch, pause }: Deployment): Promise<string> {
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
}

/**
 * All steps of a deployment: `deploying` are those that deploy the Worker, `checks` come before anything is changed. In this
 * order, the Worker that runs meanwhile always has what it needs.
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
  migrationsStep,
  signingKeys,
  ...deploying,
  publication,
  health,
  otherAddressesStep,
  backupsStep,
];

export const steps = stepsWith([worker]);

/** The decisions that only a person can make and nobody has made yet. */
export async function listLeft(deployment: Deployment): Promise<string[]> {
  const { environment, address } = deployment;
  const { vars } = configOf(deployment);
  const isClosed = (setting: string) => /^[\s,]*(127[\d./]*|::1|[\s,])*$/.test(vars[setting] ?? '');
  const [registrars] = await query(deployment, 'select count(*) as count from registrars');
  const [required] = await query(
    deployment,
    `select (select count(*) from api_users where certificate_required)
      + (select count(*) from systems where certificate_required) as count`,
  );
  const tool = (words: string) => `npm run registry -- ${words} --remote --env ${environment}`;
  const hasNoDomain = address === undefined || address.endsWith('.workers.dev');
  const url = hasNoDomain && address ? ` --url ${address}` : '';
  const decisions: [isLeft: boolean, sentence: string][] = [
    [
      isClosed('AUCTION_API_ALLOWED_IPS'),
      'Set AUCTION_API_ALLOWED_IPS in wrangler.toml: nobody may report on auctions yet.',
    ],
    [
      isClosed('REGISTRANT_AUTH_ALLOWED_IPS'),
      'Set REGISTRANT_AUTH_ALLOWED_IPS in wrangler.toml: nobody may ask for tokens yet.',
    ],
    [
      !vars.ZONES,
      'Set ZONES in wrangler.toml, for example to "ee": until then, auctions, retained names and disputes may be of any zone.',
    ],
    [
      !vars.LOG_ORIGIN,
      'Set LOG_ORIGIN in wrangler.toml, to the host name and /log, and never change it: no log of the lists is kept yet. Then announce the line of /log/key.',
    ],
    [
      registrars!.count === 0,
      `Add the first registrar: ${tool('registrar add --code … --name …')}`,
    ],
    [
      Number(required!.count) > 0,
      "See that mTLS is on for the registry's host name (SSL/TLS, Client Certificates), with the authority of the certificates that logins need: this could not be checked.",
    ],
    [hasNoDomain, "Give the Worker the registry's own domain: routes in wrangler.toml."],
    [
      true,
      `Once: go through the check list in src/cli/runbook.md. At any time: ${tool('health')}${url}`,
    ],
  ];
  return decisions.filter(([isLeft]) => isLeft).map(([, sentence]) => sentence);
}
