import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import {
  changesIdentity,
  contacts,
  deletedIdentity,
  disclosures,
  history,
  type Verification,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import type { Changes } from '../../change/history/changes.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import { changeOf, checkExpected, write } from '../../change/write.ts';
import { contactSubject } from '../contact.ts';
import { isAboutContact, isLastDeletion, sameIdentitySince } from '../entries.ts';
import { verificationColumn } from '../fields.ts';
import { identityKey } from '../identity-code.ts';
import { hasValues } from '../recorded-values.ts';
import { endsHolder } from './administer.ts';
import { identifyContact, removalOf } from './erase.ts';
import type { Identifiers } from './erasure.ts';

export interface FormerErasure extends Identifiers {
  /** History entries that lose values; 0 if none have values of the person. */
  entries: number;
  disclosures: number;
}

/**
 * Removes a former person, given by identity code, from the history and disclosures of a contact (a code or UUID). The
 * history also loses everybody else who had the contact before its last correction. The contact, its notes on statuses
 * and its present person's values stay. Changes nothing if a former holder's code was removed from the history already.
 * Throws `not_found`, also for a code that no former holder had; `invalid` for a code that several contacts had, or for
 * the present person.
 */
export async function eraseFormerPerson(
  operation: Operation,
  codeOrUuid: string,
  ident: string,
): Promise<FormerErasure> {
  const { db, origin } = operation;
  const contact = await identifyContact(db, codeOrUuid);
  const isTheirs = sql`contact_uuid = ${contact.uuid} and ident_key = ${identityKey(ident)}`;
  const look = async () => {
    const disclosed = await db.$count(disclosures, isTheirs);
    const { isPerhapsRemoved, ...state } = await lookAtFormer(db, contact, ident);
    // Of nobody else, the bucket may have a note.
    if (state.entries + disclosed === 0 && !isPerhapsRemoved) {
      const message = `nobody with this identity code had ${contact.code} before`;
      throw new RegistryError('not_found', message);
    }
    return { ...state, disclosed };
  };
  // A new version stops writes that are based on a removed check.
  const version = sql`max(${contacts.version} + 1, ${origin.request.at.getTime()})`;
  const judge = (state: Awaited<ReturnType<typeof look>>) => {
    const { end, registrar, newest, target, entries, disclosed, ofPresent } = state;
    checkExpected(origin.request, `${contact.uuid} ${end}`);
    const isNothing = entries + disclosed === 0;
    const change = changeOf(operation, contactSubject({ ...contact, registrar }));
    return {
      ...change,
      action: 'update' as const,
      changes: (isNothing ? {} : { formerHolder: { removed: true } }) as Changes,
      outcome: { ...contact, entries, disclosures: disclosed },
      ...(!isNothing && {
        onlyIf: nothingSince(newest, 'contact', [contact.code]),
        statements: [
          ...removalOf(db, contact, { ...target, disclosed: isTheirs }, change.isWritten),
          db
            .update(contacts)
            .set({ ...withoutEnded(ofPresent), version })
            .where(and(eq(contacts.uuid, contact.uuid), change.isWritten)),
        ],
      }),
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

async function lookAtFormer(db: Database, { code, uuid }: Identifiers, ident: string) {
  const isAbout = isAboutContact(sql`${uuid}`);
  const presentKey = sql`coalesce((select ident_key from ${contacts} where uuid = ${uuid}), (
    select ${deletedIdentity.key} from ${history}
      where ${isLastDeletion} and subject_uuid = ${uuid}))`;
  const [present] = await db.all<{ key: string | null; end: number; newest: number }>(sql`
    select ${presentKey} as key, ${sameIdentitySince(sql`${uuid}`)} as end,
      (select ifnull(max(id), 0) from ${history}) as newest`);
  const { key = null, end = 0, newest = 0 } = present ?? {};
  if (key === identityKey(ident)) {
    const message = `${code} belongs to this person now: erase it without --former`;
    const command = ['contact', 'erase', code];
    throw new RegistryError([{ reason: 'invalid', message, command }]);
  }
  const [former] = await db
    .select({ registrar: history.registrar })
    .from(history)
    .where(and(isAbout, endsHolder(ident)))
    .limit(1);
  const [first] = await db
    .select({ id: history.id, isOfPresent: sql`${endsHolder(key ?? '')}` })
    .from(history)
    .where(and(isAbout, changesIdentity))
    .orderBy(asc(history.id))
    .limit(1);
  const start = first?.isOfPresent ? first.id : 0;
  const { ofFormer, ofPresent } = await findChecks(db, isAbout, end);
  const isTheirCheck = sql`(select 1 from json_each(${JSON.stringify(ofFormer)}) as place
    where place.value ->> 0 = ${history.id} and place.value ->> 1 = json_each.key)`;
  const values = former
    ? sql`(${history.id} between ${start} and ${end} or exists ${isTheirCheck})`
    : sql`false`;
  const entries = sql`${isAbout} and ${hasValues(sql`${history.changes}`, values)}`;
  const target = { entries, values };
  const count = await db.$count(history, entries);
  const registrar = former?.registrar ?? null;
  const isRemoved = sql`${changesIdentity} and changes -> '$.ident.removed' is not null`;
  const isPerhapsRemoved = (await db.$count(history, sql`${isAbout} and ${isRemoved}`)) > 0;
  return { end, registrar, newest, target, entries: count, ofPresent, isPerhapsRemoved };
}

/**
 * Returns the places of a former person's ended checks in entries after the last correction (`end`), and the ids of the
 * present person's later checks.
 */
async function findChecks(db: Database, isAbout: SQL, end: number) {
  const entries = await db
    .select({ id: history.id, changes: history.changes })
    .from(history)
    .where(and(isAbout, gt(history.id, end), sql`${history.changes} like '%Verification%'`))
    .orderBy(asc(history.id));
  const earlierIds = new Set<string>();
  const ofPresent = new Set<string>();
  const ofFormer: [id: number, field: string][] = [];
  for (const { id, changes } of entries) {
    for (const field of Object.values(verificationColumn)) {
      const change = changes[field];
      if (!change || !('from' in change)) continue;
      const [from, to] = [change.from, change.to] as [Verification | null, Verification | null];
      if (from) earlierIds.add(from.id);
      if (to && to.result !== 'ended' && !earlierIds.has(to.id)) ofPresent.add(to.id);
      if (to) earlierIds.add(to.id);
      const ended = [from, to].filter((check) => check?.result === 'ended');
      if (ended.some((check) => !ofPresent.has(check!.id))) ofFormer.push([id, field]);
    }
  }
  return { ofFormer, ofPresent: [...ofPresent] };
}

/** Removes a former person's ended checks from the row. They are never shown, but say who was checked. */
function withoutEnded(presentIds: readonly string[]) {
  const ids = JSON.stringify(presentIds);
  const columns = Object.values(verificationColumn).map((column) => {
    const check = contacts[column];
    const isFormers = sql`${check} ->> '$.result' = 'ended'
      and ${check} ->> '$.id' not in (select value from json_each(${ids}))`;
    return [column, sql`iif(${isFormers}, null, ${check})`];
  });
  return Object.fromEntries(columns);
}
