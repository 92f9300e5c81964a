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
import { senderOf, testWebhook } from '../../webhook/deliver.ts';
import { type ListedDelivery, listDeliveries } from '../../webhook/outbox.ts';
import { parseWebhookUrl } from '../../webhook/url.ts';
import { reportOfChange } from '../change.ts';
import { noun, reading, usageError, writing } from '../command.ts';
import { run } from '../run.ts';
import { did, fieldLines, table } from '../text.ts';

const add = writing(
  'add',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24 2001:db8::/32',
)
  .description('Add a registrar')
  .requiredOption('--code <code>', 'the prefix of its contacts: A-Z, 0-9, _ and -')
  .requiredOption('--name <name>', 'its name')
  .option('--allow-ip <cidr...>', 'addresses and ranges it may call from; by default, any')
  .action((options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { code, name, allowIp: allowedIps = [] } = options;
      const registrar = await addRegistrar(db, origin, { code, name, allowedIps }, { isDryRun });
      return {
        data: { registrar: registrarData(registrar), changed: !isDryRun },
        text: `${did('add', registry)} registrar ${code}, callable from ${addressesOf(registrar)}`,
      };
    }),
  );

const list = reading('list', 'registrar list --json')
  .description('List the registrars')
  .action((options) =>
    run(options, async ({ db }) => {
      const registrars = await listRegistrars(db);
      return {
        data: { registrars: registrars.map(registrarData) },
        text: table(
          ['CODE', 'NAME', 'CONTACTS', 'CALLABLE FROM'],
          registrars.map((registrar) => [
            registrar.code,
            registrar.name,
            registrar.contactCount,
            addressesOf(registrar),
          ]),
          'there are no registrars yet',
        ),
      };
    }),
  );

const show = reading('show', 'registrar show ALPHA')
  .description('Show a registrar and its API users')
  .argument('<code>', 'the registrar')
  .action((code, options) =>
    run(options, async ({ db }) => {
      const registrar = await getRegistrar(db, code);
      const users = await listApiUsers(db, code);
      const usernames = users.map(({ username }) => username);
      const data = { ...registrarData(registrar), api_users: usernames };
      return { data: { registrar: data }, text: fieldLines(data) };
    }),
  );

const update = writing(
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
    new Option('--allow-all', 'empty the list, so that any address may call').conflicts('allowIp'),
  )
  .option('--webhook <url>', 'where to push its notifications; prints a new secret, once')
  .addOption(new Option('--no-webhook', 'stop pushing its notifications'))
  .action((code, options) => {
    const { name, allowIp, allowAll, webhook } = options;
    if ([name, allowIp, allowAll, webhook].every((option) => option === undefined)) {
      throw usageError(
        'nothing to change: give --name, --allow-ip, --allow-all, --webhook or --no-webhook',
      );
    }
    return run(options, async (registry) => {
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
    });
  });

const webhookTest = writing('test', 'registrar webhook test ALPHA')
  .description('Send a test from this machine to the webhook of a registrar')
  .argument('<code>', 'the registrar')
  .action((code, options) =>
    run(options, async ({ db, env, isDryRun }) => {
      const { webhookUrl: url } = await getRegistrar(db, code);
      if (url === null) {
        throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
      }
      if (isDryRun) return { data: { url }, text: `would send a test to ${url}` };
      const { id, outcome, deliveredAt } = await testWebhook(db, code, senderOf(env));
      const isDelivered = deliveredAt !== null;
      if (!isDelivered) process.exitCode = 1;
      return {
        data: { url, id, outcome, delivered: isDelivered },
        text: `${isDelivered ? 'delivered' : 'not delivered'} (${outcome}): ${id}`,
      };
    }),
  );

const webhookList = reading('list', 'registrar webhook list ALPHA')
  .description('List what was pushed to one registrar or to all, and when it arrived')
  .argument('[code]', 'only this registrar')
  .option('--limit <count>', 'how many, the newest first', parseLimit, 50)
  .action((code, { limit, ...options }) =>
    run(options, async ({ db }) => {
      if (code !== undefined) await getRegistrar(db, code);
      const deliveries = await listDeliveries(db, { registrar: code, limit });
      return {
        data: { deliveries: deliveries.map(deliveryData) },
        text: table(
          ['CREATED', 'REGISTRAR', 'EVENT', 'CONTACT', 'STATE'],
          deliveries.map((delivery) => [
            delivery.createdAt,
            delivery.registrar,
            eventOf(delivery),
            delivery.contactCode ?? '-',
            stateText(delivery),
          ]),
          'nothing was pushed in the last 30 days',
        ),
      };
    }),
  );

const webhook = noun('webhook', 'registrar webhook test ALPHA', [webhookTest, webhookList]);

export const registrarCommand = noun(
  'registrar',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24',
  [add, list, show, update, webhook.description("What is pushed to registrars' webhooks")],
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

function addressesOf({ allowedIps }: Registrar): string {
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
    event: eventOf(delivery),
    contact: delivery.contactCode,
    created_at: delivery.createdAt,
    attempts: delivery.attempts,
    attempted_at: delivery.attemptedAt,
    outcome: delivery.outcome,
    delivered_at: delivery.deliveredAt,
    failed_at: delivery.failedAt,
  };
}

function eventOf({ event }: ListedDelivery): string {
  return event ?? 'webhook.test';
}

/** `delivered 2026-11-21T…, attempt 2`; `waiting, attempt 3: HTTP 503`. */
function stateText({ attempts, outcome, deliveredAt, failedAt }: ListedDelivery): string {
  if (deliveredAt !== null) return `delivered ${deliveredAt}, attempt ${attempts}`;
  const state = failedAt === null ? 'waiting' : `given up ${failedAt}`;
  return outcome === null ? state : `${state}, attempt ${attempts}: ${outcome}`;
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 9999.');
}
