import { type SQL, sql } from 'drizzle-orm';
import { changesIdentity, contacts, history, type Verification } from '../../drizzle/schema.ts';
import { columnsOfClaim, verificationColumn } from './fields.ts';
import { separatorText } from './identity-code.ts';

/*
 * A restored contact may get another code, so history entries belong to its UUID. The index by UUID covers only
 * creations and deletions; these give the codes of the other entries.
 */

function codesOf(uuid: SQL): SQL {
  return sql`select stay.subject_key from ${history} as stay
    where stay.subject = 'contact' and stay.action <> 'update' and stay.subject_uuid = ${uuid}`;
}

export function isAboutContact(uuid: SQL): SQL {
  // The creation may be missing, because earlier builds archived entries.
  const code = sql`select present.code from ${contacts} as present where present.uuid = ${uuid}`;
  return sql`history.subject = 'contact' and history.subject_uuid = ${uuid}
    and history.subject_key in (${code} union all ${codesOf(uuid)})`;
}

/** True if no contact has got another identity since the entry. */
export function noIdentitySince(id: number): SQL {
  // Without an index, it reads the entries since then alone.
  return sql`not exists (
    select 1 from ${history} not indexed where id > ${id} and ${changesIdentity})`;
}

/**
 * Splits `isAboutContact` into two halves of a `union all` in the order of ids. SQLite has the entries of one code in
 * that order and sorts only those of other codes, which are rare.
 */
export function conditionsByCode(uuid: SQL, code: SQL): Record<'underCode' | 'underOthers', SQL> {
  const isAbout = sql`${history.subject} = 'contact' and ${history.subjectUuid} = ${uuid}`;
  const others = sql`${codesOf(uuid)} and stay.subject_key <> ${code}`;
  return {
    underCode: sql`${isAbout} and ${history.subjectKey} = ${code}`,
    underOthers: sql`${isAbout} and ${history.subjectKey} in (${others})`,
  };
}

/** Matches the last deletion of a contact that is still deleted. */
export const isLastDeletion = sql`history.subject = 'contact' and history.action = 'delete'
  and not exists (select 1 from ${contacts} as present where present.uuid = history.subject_uuid)
  and not exists (select 1 from ${history} as later
    where later.subject = 'contact' and later.action <> 'update'
      and later.subject_uuid = history.subject_uuid
      and later.id > history.id)`;

type Entry = typeof history.$inferSelect;

/** The identity code before or after a change, in the form of `identityKey`. D1 limits `glob` patterns to 50 bytes. */
export function keyOfChanged(side: 'from' | 'to'): SQL {
  const code = sql.raw(`(changes ->> '$.ident.${side}')`);
  const letter = sql`substr(${code}, n, 1)`;
  const isCenturyCode = sql`length(digits) in (11, 13) and substr(digits, -5, 1) = '+'
    and substr(digits, 1, length(digits) - 5) || substr(digits, -4, 3) not glob '*[^0-9]*'
    and digits glob '*[0-9A-Z]'`;
  return sql`(
    with recursive places (n) as (
      select 1 union all select n + 1 from places where n < length(${code})
    )
    select iif(${isCenturyCode}, kept, ifnull(nullif(replace(kept, '+', ''), ''), ${code})) from (
      select kept, iif(kept glob '[A-Z][A-Z]*', substr(kept, 3), kept) as digits from (
        select upper(group_concat(${letter}, '')) as kept
        from places where instr(${separatorText}, ${letter}) = 0)))`;
}

/**
 * Returns the id of the first entry about the present person: the newest that changed the identity beyond spelling, or
 * whose identity codes were removed; 0 if there is none.
 */
export function sameIdentitySince(uuid: SQL): SQL<number> {
  return sql<number>`ifnull((
    select max(id)
      from (select * from ${history} indexed by history_of_identity where ${changesIdentity})
    where subject_uuid = ${uuid} and (
      changes -> '$.identType' is not null or changes -> '$.identCountryCode' is not null
      or changes -> '$.ident.removed' is not null
      or ${keyOfChanged('from')} <> ${keyOfChanged('to')})), 0)`;
}

/**
 * Hides from the present person the values of changes of the identity, checks that ended earlier and, if the identity
 * `isCorrected`, notes on statuses.
 */
export function withoutFormerPerson(entry: Entry, isCorrected = false): Entry {
  const { action, changes } = entry;
  const isOfIdentity =
    action === 'update' && columnsOfClaim('identity').some((column) => column in changes);
  const fields = Object.entries(changes).map(([field, change]) => {
    const isNotes = isCorrected && field === 'statusNotes';
    const isHidden = isOfIdentity || isNotes || ('from' in change && isOfEndedCheck(change));
    return [field, isHidden ? ({ redacted: true } as const) : change] as const;
  });
  return { ...entry, changes: Object.fromEntries(fields) };
}

/** Hides the author and the reference of checks for a former registrar. */
export function withoutOthersChecks(entry: Entry, registrarCode: string): Entry {
  const isOthers = entry.registrar !== registrarCode;
  const isTransfer = 'registrar' in entry.changes;
  if (!isOthers && !isTransfer) return entry;
  const hidden = (value: unknown) => value && { ...value, reference: null, verified_by: null };
  const changes = Object.entries(entry.changes).map(([field, change]) => {
    if (!checkColumns.has(field) || !('from' in change)) return [field, change] as const;
    const to = isOthers ? hidden(change.to) : change.to;
    return [field, { ...change, from: hidden(change.from), to }] as const;
  });
  return { ...entry, changes: Object.fromEntries(changes) };
}

const checkColumns: ReadonlySet<string> = new Set(Object.values(verificationColumn));

/** An ended check also returns when the deletion of its contact is undone. */
function isOfEndedCheck({ from, to }: { from: unknown; to: unknown }): boolean {
  return hasEnded(from) || (from === null && hasEnded(to));
}

function hasEnded(check: unknown): boolean {
  return (check as Partial<Verification> | null)?.result === 'ended';
}
