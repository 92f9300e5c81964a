import { dayOf } from '../../day.ts';
import { type Dispute, listDisputes } from '../../retained-domain/dispute.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const command = reading('dispute list').action((options) =>
  run(options, async ({ db, origin }) => {
    const today = dayOf(origin.request.at);
    const disputes = await Array.fromAsync(
      everyPage<Dispute, number>(
        (page) => listDisputes(db, { page }),
        ({ id }) => id,
      ),
    );
    return {
      data: {
        disputes: disputes.map((dispute) => ({
          name: dispute.name,
          punycode_name: dispute.punycode,
          from: dispute.firstDay,
          until: dispute.lastDay,
          state: stateOf(dispute, today),
        })),
      },
      text: table(
        ['NAME', 'FROM', 'UNTIL', 'STATE'],
        disputes.map((dispute) => [
          dispute.name,
          dispute.firstDay,
          dispute.lastDay,
          stateOf(dispute, today),
        ]),
        'there are no disputes',
      ),
    };
  }),
);

function stateOf({ firstDay, lastDay }: Dispute, today: string): string {
  if (lastDay < today) return 'over';
  return firstDay <= today ? 'in force' : 'to come';
}
