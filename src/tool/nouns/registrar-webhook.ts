import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { checkRegistrar } from '../../party/registrar/operator/account.ts';
import { getWebhook } from '../../party/registrar/operator/webhook.ts';
import { senderOf } from '../../party/webhook/deliver.ts';
import { dueTime } from '../../party/webhook/list.ts';
import { dropDeliveries } from '../../party/webhook/operator/drop.ts';
import { type ListedDelivery, listDeliveries } from '../../party/webhook/operator/list.ts';
import { resendDeliveries } from '../../party/webhook/operator/resend.ts';
import { sendTest } from '../../party/webhook/operator/send-test.ts';
import { deliveriesView } from '../../view/registrar.ts';
import { countText } from '../../view/text.ts';
import { noun, parseNumber, usageError, writeCommand } from '../command.ts';
import { verb } from '../run.ts';
import { parseSince } from '../time.ts';
import { listCommand, listVerb, type RowView } from '../view.ts';

const test = verb(
  writeCommand('test', 'registrar webhook test ALPHA')
    .description('Send a test from this machine to the webhook of a registrar')
    .argument('<code>', 'the registrar', asciiUpperCase),
  async ({ db, env, isDryRun }, code) => {
    const webhook = await getWebhook(db, code);
    const { url, retryAfter } = webhook;
    if (isDryRun) return { data: { url, changed: false }, text: `would send a test to ${url}` };
    const delivery = await sendTest(db, webhook, senderOf(env));
    const { id, outcome, deliveredAt } = delivery;
    const isDelivered = deliveredAt !== null;
    if (!isDelivered) process.exitCode = 1;
    const result = isDelivered ? 'delivered' : 'not delivered';
    const dueAt = dueTime({ delivery, resumesAt: null, retryAfter });
    return {
      data: { url, id, outcome, delivered: isDelivered, changed: false },
      text: `${result} (${outcome ?? `it waits for another delivery, or until ${dueAt}`}): ${id}`,
    };
  },
);

const deliveries: RowView<ListedDelivery, [string | undefined, { limit: number }]> = {
  ...deliveriesView,
  async read({ db }, registrar, { limit }) {
    await checkRegistrar(db, registrar);
    return listDeliveries(db, { registrar, limit });
  },
};

const list = listVerb(
  deliveries,
  listCommand('List the deliveries', 'registrar webhook list ALPHA')
    .argument('[code]', 'only this registrar', asciiUpperCase)
    .option('--limit <count>', 'how many, the newest first', parseNumber, 50),
);

const resend = verb(
  writeCommand('resend', 'registrar webhook resend ALPHA --since 2026-11-21T06:00:00Z')
    .description('Send again what was delivered or given up, in its order, with the same id')
    .argument('<code>', 'the registrar', asciiUpperCase)
    .argument('[id]', 'only this delivery')
    .option(
      '--since <time>',
      'what was created or last attempted from this day or instant on, in UTC',
      parseSince,
    )
    .hook('preAction', (command) => {
      const [, id] = command.args;
      const isOne = id !== undefined;
      if (isOne === (command.opts().since !== undefined))
        throw usageError('give either an id or --since');
    }),
  async (registry, code, id, { since }) => {
    const which = id === undefined ? { since: since! } : { id };
    const count = await resendDeliveries(registry, code, which);
    const deliveries = countText(count, 'delivery', 'deliveries');
    const sends = registry.isDryRun ? 'would send' : 'sends';
    return {
      data: { registrar: code, deliveries: count, changed: count > 0 },
      text:
        count === 0
          ? `nothing to send again: no delivery to ${code} since then was delivered or given up`
          : `${sends} ${deliveries} to ${code} again, within the hour`,
    };
  },
);

const drop = verb(
  writeCommand('drop', 'registrar webhook drop ALPHA')
    .description('End the warning about deliveries that were given up, and send them no more')
    .argument('<code>', 'the registrar', asciiUpperCase),
  async (registry, code) => {
    const count = await dropDeliveries(registry, code);
    const deliveries = countText(count, 'delivery', 'deliveries');
    const drops = registry.isDryRun ? 'would drop' : 'dropped';
    return {
      data: { registrar: code, deliveries: count, changed: count > 0 },
      text:
        count === 0
          ? `nothing to drop: no delivery to ${code} was given up`
          : `${drops} ${deliveries} to ${code} that had been given up`,
    };
  },
);

const verbs = [test, list, resend, drop];
export const webhook = noun('webhook', "Deliveries to registrars' webhooks", verbs);
