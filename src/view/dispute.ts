import { untilClosed } from '../../drizzle/schema.ts';
import { everyRow } from '../base/database/every-row.ts';
import type { Database } from '../base/database/open.ts';
import { dayOf } from '../base/time/day.ts';
import type { Operation } from '../change/origin.ts';
import type { Dispute } from '../name/retained/dispute.ts';
import { listDisputes } from '../name/retained/operator/dispute.ts';
import { plain, type Shown } from './columns.ts';

export const disputesView: Shown<ShownDispute> = {
  name: 'disputes',
  columns: {
    ...{ name: 'name', punycode_name: 'punycode', ...plain('firstDay') },
    last_day: { of: lastDayOf, cell: (one) => lastDayOf(one) ?? 'until closed' },
    ...plain('state', 'initiator', 'comment', 'closedAt'),
  },
  table: 'name first_day last_day state initiator',
};

export type ShownDispute = Awaited<ReturnType<typeof readDisputes>>[number];

export function readDisputes({ db, origin }: Operation, name?: string) {
  const today = dayOf(origin.request.at);
  return Array.fromAsync(everyDispute(db, name), (dispute) => {
    return { ...dispute, state: stateOf(dispute, today) };
  });
}

export function everyDispute(db: Database, name?: string): AsyncGenerator<Dispute> {
  return everyRow<Dispute>((page) => listDisputes(db, { name, page }));
}

/** Null if the dispute lasts until it is closed. */
export function lastDayOf({ lastDay }: Dispute): string | null {
  return lastDay === untilClosed ? null : lastDay;
}

function stateOf({ firstDay, lastDay, closedAt }: Dispute, today: string): string {
  if (closedAt !== null) return 'closed';
  if (lastDay < today) return 'over';
  return firstDay <= today ? 'in force' : 'to come';
}
