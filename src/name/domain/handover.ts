import { eq, getTableColumns, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { contacts, disputes } from '../../../drizzle/schema.ts';
import { matcherOf } from '../../base/bytes/digest.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { RecordProblem } from '../../base/error.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Operation } from '../../change/origin.ts';
import { changesOfRows } from '../../change/write-many.ts';
import { isSamePerson } from '../../contact/contact.ts';
import { nameConflict } from '../name.ts';
import { closingChanges, type Dispute, isInForce } from '../retained/dispute.ts';
import type { Recorded } from './read.ts';
import { codesOf, type ImportedDomain } from './record.ts';

/*
 * While a dispute is in force, a domain stays with its person. Another contact of the same person, such as a copy that a
 * transfer made, may replace the registrant.
 */

/**
 * Judges the records that would give a disputed domain to another person. Returns a problem for each, or the dispute
 * if the password is its own: the write closes it with `closings`. `names` would get another registrant, so the write
 * must fail if one of their disputes has changed since. Costs a round trip if there are any.
 */
export async function judgeHandovers<Domain extends ImportedDomain>(
  { db, origin }: Operation,
  records: readonly Domain[],
  present: ReadonlyMap<string, Recorded>,
  password?: string,
) {
  const handovers = records.flatMap((record) => {
    const [from, to] = [present.get(record.name)?.registrant, codesOf(record, 'registrant')[0]];
    return from === undefined || from === (to ?? null) ? [] : [{ name: record.name, from, to }];
  });
  const [former, next] = [alias(contacts, 'former'), alias(contacts, 'next')];
  const against: Dispute[] = [];
  for (const array of jsonArrays(handovers)) {
    const rows = await db
      .select(getTableColumns(disputes))
      .from(sql`json_each(${array}) as handover`)
      .innerJoin(
        disputes,
        sql`${disputes.name} = value ->> 'name' and ${isInForce(dayOf(origin.request.at))}`,
      )
      .leftJoin(next, eq(next.code, sql`value ->> 'to'`))
      .leftJoin(former, sql`${former.code} = value ->> 'from' and ${isSamePerson(former, next)}`)
      // An unknown contact is refused as such.
      .where(sql`${former.id} is null and (${next.id} is not null or value ->> 'to' is null)`);
    against.push(...rows);
  }
  const fits = await matcherOf(password === undefined ? [] : [password]);
  const problems: RecordProblem<Domain>[] = [];
  const closed: Dispute[] = [];
  for (const dispute of against) {
    const record = records.findLast(({ name }) => name === dispute.name)!;
    const refusal =
      password === undefined
        ? nameConflict(dispute.name, 'disputed', 'registrant')
        : nameConflict(dispute.name, 'dispute_password_wrong', 'password');
    if (await fits(dispute.password)) closed.push(dispute);
    else problems.push({ ...refusal.problems[0], record });
  }
  return { names: handovers.map(({ name }) => name), problems, closed };
}

export function closings({ db, origin }: Operation, closed: readonly Dispute[]) {
  const closedAt = origin.request.at.toISOString();
  const closedRows = closed.map((dispute) => ({
    ...{ id: dispute.id, name: dispute.name },
    changes: closingChanges(dispute, closedAt, 'its password gave the domain to another person'),
  }));
  return jsonArrays(closedRows)
    .map(rowsIn)
    .map((rows) =>
      changesOfRows('dispute', 'update', rows, [
        db
          .update(disputes)
          .set({ closedAt })
          .where(sql`${disputes.id} in (select row ->> 'id' from (${rows}))`),
      ]),
    );
}
