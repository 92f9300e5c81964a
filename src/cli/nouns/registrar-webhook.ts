import { InvalidArgumentError } from '@commander-js/extra-typings';
import { checkRegistrar, getWebhook } from '../../registrar/account.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import type { ListedDelivery } from '../../webhook/outbox.ts';
import { noun, reading, usageError, writing } from '../command.ts';
import { counted, listReport } from '../report/text.ts';
import { verb } from '../run.ts';
import { parseSince } from '../time.ts';

const test = verb(
  writing('test', 'registrar webhook test ALPHA')
    .description('Send a test from this machine to the webhook of a registrar')
    .argument('<code>', 'the registrar', asciiUpperCase),
  async ({ db, env, isDryRun }, code) => {
    const { url } = await getWebhook(db, code);
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

const list = verb(
  reading('list', 'registrar webhook list ALPHA')
    .description('List the deliveries to one registrar or to all, and when each arrived')
    .argument('[code]', 'only this registrar', asciiUpperCase)
    .option('--limit <count>', 'how many, the newest first', parseLimit, 50),
  async ({ db }, code, { limit }) => {
    await checkRegistrar(db, code);
    const { listDeliveries } = await import('../../webhook/outbox.ts');
    const listed = await listDeliveries(db, { registrar: code, limit });
    const deliveries = listed.map(deliveryData);
    return listReport('deliveries', deliveries, 'nothing was pushed in the last 30 days', {
      CREATED: 'created_at',
      // `resend` takes an id together with the registrar.
      ...(code === undefined ? { REGISTRAR: 'registrar' } : { ID: 'id' }),
      EVENT: 'event',
      SUBJECT: 'subject',
      STATE: stateText,
    });
  },
);

const resend = verb(
  writing(
    'resend',
    'registrar webhook resend ALPHA --since 2026-11-21T06:00:00Z',
    'registrar webhook resend ALPHA msg_7e64b1b2a4b44e0f8a7ac2c0b3f4a5d6',
  )
    .description('Send again what was delivered or given up, in its order, with the same id')
    .argument('<code>', 'the registrar', asciiUpperCase)
    .argument('[id]', 'only this delivery')
    .option('--since <time>', 'what was created from this day or instant on, in UTC', parseSince)
    .hook('preAction', (command) => {
      const [, id] = command.args;
      if ((id === undefined) === (command.opts().since === undefined)) {
        throw usageError('what to send again: give either the id of a delivery or --since');
      }
    }),
  async ({ db, origin, isDryRun }, code, id, { since }) => {
    const { resendDeliveries } = await import('../../webhook/resend.ts');
    const which = id === undefined ? { since: since! } : { id };
    const count = await resendDeliveries(db, origin, code, which, { isDryRun });
    const deliveries = counted(count, 'delivery', 'deliveries');
    const sends = isDryRun ? 'would send' : 'sends';
    return {
      data: { registrar: code, deliveries: count, changed: count > 0 && !isDryRun },
      text:
        count === 0
          ? `nothing to send again: no delivery to ${code} since then was delivered or given up; those that wait leave by themselves, and tests do not count`
          : `${sends} ${deliveries} to ${code} again, within the hour`,
    };
  },
);

export const webhook = noun('webhook', 'registrar webhook test ALPHA', [
  test,
  list,
  resend,
]).description("Deliveries to registrars' webhooks, and a test of a webhook");

function deliveryData(delivery: ListedDelivery) {
  const isWaiting = delivery.deliveredAt === null && delivery.failedAt === null;
  return {
    id: delivery.id,
    registrar: delivery.registrar,
    event: delivery.event ?? 'webhook.test',
    subject: delivery.subjectKey,
    created_at: delivery.createdAt,
    attempts: delivery.attempts,
    attempted_at: delivery.attemptedAt,
    outcome: delivery.outcome,
    delivered_at: delivery.deliveredAt,
    failed_at: delivery.failedAt,
    /** Since when the webhook has failed, while the delivery waits for it. */
    failing_since: isWaiting ? delivery.failingSince : null,
    /** Nothing is sent to the failing webhook before then. */
    next_attempt_at: isWaiting && delivery.failingSince !== null ? delivery.resumesAt : null,
  };
}

/** `delivered 2026-11-21T…, attempt 2`; `waiting, attempt 3: HTTP 503, failing since …, next attempt after …`. */
function stateText(delivery: ReturnType<typeof deliveryData>): string {
  const { attempts, outcome, delivered_at, failed_at, failing_since } = delivery;
  const { next_attempt_at: next } = delivery;
  if (delivered_at !== null) return `delivered ${delivered_at}, attempt ${attempts}`;
  const state = failed_at === null ? 'waiting' : `given up ${failed_at}`;
  const tried = outcome === null ? state : `${state}, attempt ${attempts}: ${outcome}`;
  if (failing_since === null) return tried;
  return `${tried}, failing since ${failing_since}${next === null ? '' : `, next attempt after ${next}`}`;
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 9999.');
}
