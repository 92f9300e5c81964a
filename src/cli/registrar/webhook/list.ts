import { InvalidArgumentError } from '@commander-js/extra-typings';
import { getRegistrar } from '../../../registrar/account.ts';
import { type ListedDelivery, listDeliveries } from '../../../webhook/outbox.ts';
import { reading } from '../../command.ts';
import { run } from '../../run.ts';
import { table } from '../../text.ts';

export const command = reading('registrar webhook list ALPHA')
  .argument('[code]', 'only this registrar')
  .option('--limit <count>', 'how many, the newest first', parseCount, 50)
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
            delivery.event ?? 'webhook.test',
            delivery.contactCode ?? '-',
            stateText(delivery),
          ]),
          'nothing was pushed in the last 30 days',
        ),
      };
    }),
  );

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
function stateText({ attempts, outcome, deliveredAt, failedAt }: ListedDelivery): string {
  if (deliveredAt !== null) return `delivered ${deliveredAt}, attempt ${attempts}`;
  const state = failedAt === null ? 'waiting' : `given up ${failedAt}`;
  return outcome === null ? state : `${state}, attempt ${attempts}: ${outcome}`;
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 9999.');
}
