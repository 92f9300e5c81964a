import { randomBytes } from 'node:crypto';
import { commandLine } from '../command.ts';
import { databaseOver } from '../local/http-bindings.ts';
import { findMissingMigrations, listMigrations } from '../migrate.ts';
import { domainAddress } from '../wrangler-config.ts';
import { readDeployConfig } from './config.ts';
import { calling, type Deployment, lacking, look, type Step } from './deployment.ts';
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

const eachTime = (
  title: string,
  words: (deployment: Deployment) => string,
  run: (deployment: Deployment) => Promise<string>,
): Step => ({
  title,
  plan: async (deployment) => ({
    state: 'done each time',
    commands: [{ words: words(deployment), run: () => run(deployment) }],
  }),
});

const worker = eachTime(
  'Worker',
  ({ environment }) => `wrangler deploy --env ${environment}`,
  async (deployment) => {
    const { configPath, environment } = deployment;
    const printed = await deployment.wrangler(['deploy', '--env', environment]);
    const [, build] = /^Current Version ID: (\S+)/m.exec(printed) ?? [];
    if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
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
  async ({ address, build, fetch, pause }) => {
    if (address === undefined) return 'not asked, because the Worker has no address';
    let last = '';
    // A new address takes a while to resolve, and the old build's response is cached for some seconds.
    for (let tries = 1; tries <= 20; tries++) {
      if (tries > 1) await pause(3_000);
      last = await fetch(`${address}/health`).then(
        async (response) => `${response.status} ${await response.text()}`,
        (error: Error) => error.message,
      );
      if (last.startsWith('200') && last.includes(`"build":"${build}"`)) return last;
    }
    throw new Error(`${address}/health: ${last}`);
  },
);

const otherAddresses = eachTime(
  'Other addresses',
  () => 'GET /health at the addresses below workers.dev, which must not answer',
  async (deployment) => {
    const { address, build = '', fetch, subdomain } = deployment;
    const account = await subdomain();
    if (account === undefined) return 'the account has none';
    const host = `${readDeployConfig(deployment).worker}.${account}.workers.dev`;
    // An address of a version begins with the first eight digits of its id.
    const all = [`https://${build.slice(0, 8)}-${host}`, `https://${host}`];
    const others = all.filter((other) => other !== address);
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
