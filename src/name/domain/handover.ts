import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { contacts, disputes, history, isInForce } from '../../../drizzle/schema.ts';
import { matcherOf } from '../../base/bytes/digest.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { RecordProblem } from '../../base/error.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Operation } from '../../change/origin.ts';
import { changesOfRows } from '../../change/write-many.ts';
import { sameIdentitySince } from '../../contact/entries.ts';
import { identifies, isSameHolder, isSameIdentity } from '../../contact/same-person.ts';
import { nameConflict } from '../name.ts';
import { closingChanges, type Dispute } from '../retained/dispute.ts';
import type { StoredDomain } from './read.ts';
import { codesOf, type ImportedDomain } from './record.ts';

/*
 * While a dispute is in force, a domain stays with its person. Another contact of the same person, such as a copy that a
 * transfer made, may replace the registrant. A record that is made again after a removal is judged by the last one; a first
 * one is a fact.
 */

/**
 * Judges the records that would give a disputed domain to another person. Returns a problem for each, or the dispute
 * if the password is its own: the write closes it with `closings`. `names` would get another registrant, so the write
 * must fail if one of their disputes has changed since and, with `isAnyDisputed`, if a contact has got another identity.
 * Costs a round trip if there are any.
 */
export async function judgeHandovers<Domain extends ImportedDomain>(
  { db, origin }: Operation,
  records: readonly Domain[],
  present: ReadonlyMap<string, StoredDomain>,
  password?: string,
) {
  const handovers = records.flatMap((record) => {
    const { name } = record;
    const [from, [to]] = [present.get(name)?.registrant, codesOf(record, 'registrant')];
    // A domain that is not there is compared with its last record.
    return present.has(name) && from === (to ?? null) ? [] : [{ name, from, to }];
  });
  const next = nextContact();
  const judged: (Dispute & { hasSameHolder: number })[] = [];
  for (const array of jsonArrays(handovers)) {
    const isLastRecord = sql`${history.id} = (
      select max(id) from ${history} as newest
      where newest.subject = 'domain' and newest.subject_key = value ->> 'name')`;
    const hasSameHolder = sql<number>`case
      when value ->> 'to' is null then 0
      when value -> 'from' is not null then ${isOfHolder(next)}
      else ${isOfLastHolder(next)} end`;
    const rows = await db
      .select({ ...getTableColumns(disputes), hasSameHolder: hasSameHolder.as('has_same_holder') })
      .from(sql`json_each(${array}) as handover`)
      .innerJoin(
        disputes,
        sql`${disputes.name} = value ->> 'name' and ${isInForce(dayOf(origin.request.at))}`,
      )
      .leftJoin(next, eq(next.code, sql`value ->> 'to'`))
      .leftJoin(history, sql`value -> 'from' is null and ${isLastRecord}`)
      // An unknown contact is refused as such. A record without an earlier one is a fact.
      .where(sql`(${next.id} is not null or value ->> 'to' is null)
        and (value -> 'from' is not null or ${history.action} = 'delete')`);
    judged.push(...rows);
  }
  const against = judged.filter(({ hasSameHolder }) => !hasSameHolder);
  const fits = await matcherOf(password === undefined ? [] : [password]);
  const problems: RecordProblem<Domain>[] = [];
  const closed: Dispute[] = [];
  for (const { hasSameHolder: _, ...dispute } of against) {
    const record = records.findLast(({ name }) => name === dispute.name)!;
    const refusal =
      password === undefined || dispute.password === null
        ? nameConflict(dispute.name, 'disputed', 'registrant')
        : nameConflict(dispute.name, 'dispute_password_wrong', 'password');
    if (await fits(dispute.password)) closed.push(dispute);
    else problems.push({ ...refusal.problems[0], record });
  }
  const names = handovers.map(({ name }) => name);
  return { names, isAnyDisputed: judged.length > 0, problems, closed };
}

type Next = ReturnType<typeof nextContact>;

const nextContact = () => alias(contacts, 'next');

/** True if the domain's registrant and the next one have the same holder. */
function isOfHolder(next: Next): SQL {
  const former = alias(contacts, 'former');
  return sql`exists (select 1 from ${contacts} as former
    where former.code = value ->> 'from' and ${isSameHolder(former, next)})`;
}

/**
 * True if the registrant that the domain had when it was removed, and the next one have the same holder. A contact that
 * got another identity since then, or whose values are gone, has not.
 */
function isOfLastHolder(next: Next): SQL {
  const former = alias(contacts, 'former');
  const code = sql`${history.changes} ->> '$.registrant.from'`;
  const uuid = sql`(select uuids.value from json_each(${history.changes}, '$.registrant.uuids') as uuids
    where uuids.key = ${code})`;
  const deleted = {
    identCountryCode: sql`(deletion.changes ->> '$.identCountryCode.from')`,
    identType: sql`(deletion.changes ->> '$.identType.from')`,
    identKey: sql`(deletion.changes ->> '$.ident.key')`,
  };
  return sql`(${sameIdentitySince(uuid)} < ${history.id} and (
    exists (select 1 from ${contacts} as former
      where former.uuid = ${uuid} and ${isSameHolder(former, next)})
    or exists (select 1 from ${history} as deletion indexed by history_of_contact
      where deletion.subject_uuid = ${uuid} and deletion.subject = 'contact' and deletion.action = 'delete'
        and deletion.action <> 'update'
        and ${isSameIdentity(deleted, next)} and ${identifies(deleted)})))`;
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
