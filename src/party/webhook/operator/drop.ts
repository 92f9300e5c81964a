import { and, eq, sql } from 'drizzle-orm';
import { webhookDeliveries } from '../../../../drizzle/schema.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changeOf, write } from '../../../change/write.ts';
import { getRegistrar } from '../../registrar/account.ts';
import { isGivenUp } from '../outbox.ts';

/**
 * Ends the warning about a registrar's deliveries that were given up, and returns their number. They stay in the list,
 * and can still be sent again. Throws `not_found`.
 */
export async function dropDeliveries(operation: Operation, code: string): Promise<number> {
  const { db, origin } = operation;
  const ofRegistrar = (id: number) => and(eq(webhookDeliveries.registrarId, id), isGivenUp);
  const { outcome } = await write(
    db,
    origin.request,
    {
      async look() {
        const { id } = await getRegistrar(db, code);
        return { id, deliveries: await db.$count(webhookDeliveries, ofRegistrar(id)) };
      },
      judge({ id, deliveries }): Change<number> {
        const about = changeOf(operation, { type: 'registrar', key: code });
        const change: Change<number> = {
          ...about,
          action: 'update',
          changes: deliveries > 0 ? { webhookDropped: { from: null, to: deliveries } } : {},
          outcome: deliveries,
        };
        const number = sql`(select count(*) from ${webhookDeliveries} where ${ofRegistrar(id)})`;
        return {
          ...change,
          // Others may be given up, or sent again, meanwhile.
          onlyIf: sql`${number} = ${deliveries}`,
          statements: [
            db
              .update(webhookDeliveries)
              .set({ droppedAt: origin.request.at.toISOString() })
              .where(and(ofRegistrar(id), about.isWritten)),
          ],
        };
      },
    },
    operation,
  );
  return outcome;
}
