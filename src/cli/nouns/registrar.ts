import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isLocalEnvironment } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import {
  addRegistrar,
  getRegistrar,
  listRegistrars,
  type Registrar,
  updateRegistrar,
} from '../../registrar/account.ts';
import { listApiUsers } from '../../registrar/api-user.ts';
import type { ListedDelivery } from '../../webhook/outbox.ts';
import { parseWebhookUrl } from '../../webhook/url.ts';
import { reportOfChange } from '../change.ts';
import { noun, reading, usageError, writing } from '../command.ts';
import { verb } from '../run.ts';
import { fieldLines, table } from '../text.ts';

const add = verb(
  writing(
    'add',
    'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24 2001:db8::/32',
  )
    .description('Add a registrar')
    .requiredOption('--code <code>', 'the prefix of its contacts: A-Z, 0-9, _ and -')
    .requiredOption('--name <name>', 'its name')
    .option('--allow-ip <cidr...>', 'addresses and ranges it may call from; by default, any'),
  async ({ db, origin, isDryRun, did }, options) => {
    const { code, name, allowIp: allowedIps = [] } = options;
    const registrar = await addRegistrar(db, origin, { code, name, allowedIps }, { isDryRun });
    return {
      data: { registrar: registrarData(registrar), changed: !isDryRun },
      text: `${did('add')} registrar ${code}, callable from ${addressesText(registrar.allowedIps)}`,
    };
  },
);

const list = verb(
  reading('list', 'registrar list --json').description('List the registrars'),
  async ({ db }) => {
    const registrars = (await listRegistrars(db)).map(registrarData);
    return {
      data: { registrars },
      text: table(registrars, 'there are no registrars yet', {
        CODE: 'code',
        NAME: 'name',
        CONTACTS: 'contact_count',
        'CALLABLE FROM': (registrar) => addressesText(registrar.allowed_ips),
      }),
    };
  },
);

const show = verb(
  reading('show', 'registrar show ALPHA')
    .description('Show a registrar and its API users')
    .argument('<code>', 'the registrar'),
  async ({ db }, code) => {
    const registrar = await getRegistrar(db, code);
    const users = await listApiUsers(db, code);
    const usernames = users.map(({ username }) => username);
    const data = { ...registrarData(registrar), api_users: usernames };
    return { data: { registrar: data }, text: fieldLines(data) };
  },
);

const update = verb(
  writing(
    'update',
    'registrar update ALPHA --allow-ip 192.0.2.7',
    'registrar update ALPHA --allow-all',
    'registrar update ALPHA --webhook https://hooks.example.ee/registry',
  )
    .description('Change the name of a registrar, the addresses it may call from, or its webhook')
    .argument('<code>', 'the code of the registrar')
    .option('--name <name>', 'its new name')
    .option('--allow-ip <cidr...>', 'the addresses and ranges that replace the old list')
    .addOption(
      new Option('--allow-all', 'empty the list, so that any address may call').conflicts(
        'allowIp',
      ),
    )
    .option('--webhook <url>', 'where to push its notifications; prints a new secret, once')
    .addOption(new Option('--no-webhook', 'stop pushing its notifications'))
    .hook('preAction', (command) => {
      const { name, allowIp, allowAll, webhook } = command.opts();
      if ([name, allowIp, allowAll, webhook].some((option) => option !== undefined)) return;
      throw usageError(
        'nothing to change: give --name, --allow-ip, --allow-all, --webhook or --no-webhook',
      );
    }),
  async (registry, code, { name, allowIp, allowAll, webhook }) => {
    const { db, env, origin, isDryRun } = registry;
    const wanted = {
      name,
      allowedIps: allowAll ? [] : allowIp,
      webhookUrl: webhookUrlOf(webhook, { isLocal: isLocalEnvironment(env) }),
    };
    const updated = await updateRegistrar(db, origin, code, wanted, { isDryRun });
    const { registrar, webhookSecret: secret } = updated;
    const { data, text } = reportOfChange(registry, `registrar ${code}`, updated.changes);
    return {
      data: { registrar: registrarData(registrar), webhook_secret: secret, ...data },
      text:
        secret === undefined ? text : `${text}\nthe webhook's secret, shown only now:\n${secret}`,
    };
  },
);

const webhookTest = verb(
  writing('test', 'registrar webhook test ALPHA')
    .description('Send a test from this machine to the webhook of a registrar')
    .argument('<code>', 'the registrar'),
  async ({ db, env, isDryRun }, code) => {
    const { webhookUrl: url } = await getRegistrar(db, code);
    if (url === null) {
      throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
    }
    if (isDryRun) return { data: { url }, text: `would send a test to ${url}` };
    const { senderOf, testWebhook } = await import('../../webhook/deliver.ts');
    const { id, outcome, deliveredAt } = await testWebhook(db, code, senderOf(env));
    const isDelivered = deliveredAt !== null;
    if (!isDelivered) process.exitCode = 1;
    return {
      data: { url, id, outcome, delivered: isDelivered },
      text: `${isDelivered ? 'delivered' : 'not delivered'} (${outcome}): ${id}`,
    };
  },
);

const webhookList = verb(
  reading('list', 'registrar webhook list ALPHA')
    .description('List the deliveries to one registrar or to all, and when each arrived')
    .argument('[code]', 'only this registrar')
    .option('--limit <count>', 'how many, the newest first', parseLimit, 50),
  async ({ db }, code, { limit }) => {
    if (code !== undefined) await getRegistrar(db, code);
    const { listDeliveries } = await import('../../webhook/outbox.ts');
    const listed = await listDeliveries(db, { registrar: code, limit });
    const deliveries = listed.map(deliveryData);
    return {
      data: { deliveries },
      text: table(deliveries, 'nothing was pushed in the last 30 days', {
        CREATED: 'created_at',
        REGISTRAR: 'registrar',
        EVENT: 'event',
        CONTACT: 'contact',
        STATE: stateText,
      }),
    };
  },
);

const webhook = noun('webhook', 'registrar webhook test ALPHA', [webhookTest, webhookList]);

export const registrarCommand = noun(
  'registrar',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24',
  [
    add,
    list,
    show,
    update,
    webhook.description("Deliveries to registrars' webhooks, and a test of a webhook"),
  ],
);

function registrarData(registrar: Registrar) {
  return {
    code: registrar.code,
    name: registrar.name,
    allowed_ips: registrar.allowedIps,
    webhook_url: registrar.webhookUrl,
    contact_count: registrar.contactCount,
    created_at: registrar.createdAt,
    updated_at: registrar.updatedAt,
  };
}

function addressesText(allowedIps: readonly string[]): string {
  return allowedIps.join(', ') || 'every address';
}

/** Null for --no-webhook, which Commander gives as false. */
function webhookUrlOf(webhook: string | false | undefined, environment: { isLocal: boolean }) {
  if (typeof webhook === 'string') return parseWebhookUrl(webhook, environment);
  return webhook === false ? null : undefined;
}

function deliveryData(delivery: ListedDelivery) {
  return {
    id: delivery.id,
    registrar: delivery.registrar,
    event: delivery.event ?? 'webhook.test',
    contact: delivery.contactCode,
    created_at: delivery.createdAt,
    attempts: delivery.attempts,
    attempted_at: delivery.attemptedAt,
    outcome: delivery.outcome,
    delivered_at: delivery.deliveredAt,
    failed_at: delivery.failedAt,
  };
}

/** `delivered 2026-11-21T…, attempt 2`; `waiting, attempt 3: HTTP 503`. */
function stateText(delivery: ReturnType<typeof deliveryData>): string {
  const { attempts, outcome, delivered_at, failed_at } = delivery;
  if (delivered_at !== null) return `delivered ${delivered_at}, attempt ${attempts}`;
  const state = failed_at === null ? 'waiting' : `given up ${failed_at}`;
  return outcome === null ? state : `${state}, attempt ${attempts}: ${outcome}`;
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 9999.');
}
