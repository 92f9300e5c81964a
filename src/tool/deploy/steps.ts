import { randomBytes } from 'node:crypto';
import { commandLine } from '../command.ts';
import { databaseOver } from '../local/http-bindings.ts';
import { findMissingMigrations, listMigrations } from '../migrate.ts';
import { domainAddress } from '../wrangler-config.ts';
import { readDeployConfig } from './config.ts';
import {
  buildOf,
  calling,
  eachTime,
  lacking,
  look,
  poll,
  type Step,
  workersDevHosts,
} from './deployment.ts';
import {
  archiveStep,
  backupsStep,
  databaseStep,
  listsStep,
  loginStep,
  queuesStep,
} from './resources.ts';

const migrationsStep: Step = {
  title: 'Migrations',
  async plan(deployment) {
    const isThere = readDeployConfig(deployment).database.id !== undefined;
    const target = `DB --remote --env ${deployment.environment}`;
    // `wrangler d1 migrations list` would create its table.
    const execute = `d1 execute ${target} --json --command`.split(' ');
    const db = databaseOver(async ({ statements: [statement] }) =>
      JSON.parse(await deployment.wrangler([...execute, statement!.sql])),
    );
    const missing = isThere ? await findMissingMigrations(db) : listMigrations();
    if (missing.length === 0) return { state: 'there', commands: [] };
    const names = missing.join(', ');
    const apply = calling(deployment, `d1 migrations apply ${target}`);
    return { state: `to apply: ${names}`, commands: [apply] };
  },
};

/** Before the Worker, which fails without the key. Wrangler creates an empty Worker to hold it. */
const tokenKeys: Step = {
  title: 'Key that signs tokens',
  async plan(deployment) {
    const { environment } = deployment;
    const list = `secret list --env ${environment} --format json`;
    const listed = (await look(deployment, list, /Worker ".*" .*not found/)) ?? '[]';
    const secrets = JSON.parse(listed).map(({ name }: { name: string }) => name);
    const missing = ['REGISTRANT_TOKEN_KEYS'].filter((name) => !secrets.includes(name));
    return lacking(missing, (name) => {
      const put = `secret put ${name} --env ${environment}`;
      return calling(deployment, put, `k1:${randomBytes(32).toString('hex')}`);
    });
  },
};

const worker = eachTime(
  'Worker',
  ({ environment }) => `wrangler deploy --env ${environment}`,
  async (deployment) => {
    const { configPath, environment } = deployment;
    const printed = await deployment.wrangler(['deploy', '--env', environment]);
    const build = buildOf(printed);
    const [url] = /https:\/\/[\w.-]+\.workers\.dev/.exec(printed) ?? [];
    const address = domainAddress(configPath, environment) ?? url;
    Object.assign(deployment, { build, address });
    return `deployed build ${build}, ${address ?? 'without an address'}`;
  },
);

const publication = eachTime(
  'Public lists',
  ({ environment: env }) => commandLine(['lists', 'publish', '--yes'], { remote: true, env }),
  async ({ publish }) => {
    await publish();
    return 'published';
  },
);

const health = eachTime(
  'Health',
  () => 'GET /health, until the new build answers',
  async (deployment) => {
    const { address, build } = deployment;
    if (address === undefined) return 'not asked, because the Worker has no address';
    // Some machines run the old build for a while.
    return poll(
      deployment,
      `${address}/health`,
      ({ ok }, text) => ok && text.includes(`"build":"${build}"`),
    );
  },
);

const otherAddresses = eachTime(
  'Other addresses',
  () => 'GET /health at the addresses below workers.dev, which must not answer',
  async (deployment) => {
    const { address, fetch } = deployment;
    const all = await workersDevHosts(deployment, readDeployConfig(deployment).worker);
    if (all.length === 0) return 'the account has none';
    const others = all.map((host) => `https://${host}`).filter((other) => other !== address);
    for (const other of others) {
      const response = await fetch(`${other}/health`).catch(() => undefined);
      if (!response?.ok) continue;
      throw new Error(
        `${other} answers with this deployment's data, past the rules of the zone: wrangler.toml needs preview_urls = false, and workers_dev = false once there are routes`,
      );
    }
    return `no answer from ${others.join(' and ')}`;
  },
);

/** In this order, the running Worker always has its resources. */
export const steps: readonly Step[] = [
  loginStep,
  databaseStep,
  listsStep,
  queuesStep,
  archiveStep,
  migrationsStep,
  tokenKeys,
  worker,
  publication,
  health,
  otherAddresses,
  backupsStep,
];
