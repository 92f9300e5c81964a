import { contacts, registrars } from '../../../drizzle/schema.ts';
import { isIn, jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import {
  orRefusal,
  type Problem,
  type RecordProblem,
  RegistryError,
  throwProblems,
} from '../../base/error.ts';
import { changesRepresentation, difference } from '../../change/history/changes.ts';
import type { Operation, Origin } from '../../change/origin.ts';
import { changeEach, changesOfRows, writeMany } from '../../change/write-many.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  checkProhibition,
  generateAuthInfo,
  keysOf,
  selectContacts,
} from '../contact.ts';
import { insertContacts } from '../create.ts';
import {
  contactColumns,
  contactFields,
  type FileColumn,
  type RequiredColumn,
  verificationColumn,
} from '../fields.ts';
import { hasValue, verificationsOf } from '../verifications.ts';
import { updateAnyContact } from './administer.ts';

/** A contact from any registry, even this one. The registry fills in values that it does not have. */
export type ContactRecord = Pick<Contact, RequiredColumn | 'code'> &
  Partial<Pick<Contact, FileColumn>> & {
    registrar: string;
  };

/** Columns that an update by a file never changes: the operator changes them one by one, or a check does. */
const fixedColumns: readonly string[] = contactColumns
  .filter(([column, { group }]) => group === 'identity' || /Verification$/.test(column))
  .map(([column]) => column)
  .concat('verificationDemand', 'identityRequest');

/** Finds records that cannot be imported. Only `isUpdate` overwrites existing values. */
export async function findContactProblems(
  db: Database,
  records: readonly ContactRecord[],
  { isUpdate = false } = {},
): Promise<RecordProblem<ContactRecord>[]> {
  return problemsOf(records, await loadPresent(db, records), isUpdate);
}

/**
 * Adds the missing contacts, all or none, in the order of the records, and returns their number. One batch, for about
 * ten thousand records. A dry run writes nothing. Throws the problems of `findContactProblems`.
 */
export function importContacts(
  operation: Operation,
  records: readonly ContactRecord[],
  { isUpdate = false } = {},
): Promise<number> {
  const { db, origin } = operation;
  const plan = async () => {
    const present = await loadPresent(db, records);
    throwProblems(problemsOf(records, present, isUpdate));
    const missing = records.filter(({ code }) => !present.contacts.has(code));
    const rows = missing.map((record, position) => ({ ...rowOf(record, origin), position }));
    const added = jsonArrays(rows)
      .map(rowsIn)
      .map((chunk) => {
        const additions = [insertContacts(db, chunk, origin.request.at)];
        return changesOfRows('contact', 'create', chunk, additions);
      });
    return { outcome: missing.length, write: () => changeEach(operation, { added }) };
  };
  return writeMany(operation, `contact ${records[0]?.code}`, plan);
}

/**
 * Updates existing contacts one by one, by the rules of the registrar interface, and returns the number of changed
 * contacts. Throws what `updateAnyContact` throws.
 */
export async function updateContacts(
  operation: Operation,
  records: readonly ContactRecord[],
): Promise<number> {
  const { db } = operation;
  const present = await loadPresent(db, records);
  let count = 0;
  for (const record of records) {
    const contact = present.contacts.get(record.code);
    if (!contact || Object.keys(difference(contact, record)).length === 0) continue;
    const { code, registrar: _, ...values } = record;
    const updates = Object.entries(values).filter(([column]) => !fixedColumns.includes(column));
    const changes = await updateAnyContact(operation, code, Object.fromEntries(updates));
    if (Object.keys(changes).length > 0) count += 1;
  }
  return count;
}

async function loadPresent(db: Database, records: readonly ContactRecord[]) {
  const codes = await db.select({ code: registrars.code }).from(registrars);
  const present = {
    registrars: new Set(codes.map(({ code }) => code)),
    contacts: new Map<string, ContactWithRegistrar>(),
  };
  for (const keys of jsonArrays(records.map(({ code }) => code))) {
    for (const contact of await selectContacts(db).where(isIn(contacts.code, keys))) {
      present.contacts.set(contact.code, contact);
    }
  }
  return present;
}

type Present = Awaited<ReturnType<typeof loadPresent>>;

function problemsOf(
  records: readonly ContactRecord[],
  present: Present,
  isUpdate = false,
): RecordProblem<ContactRecord>[] {
  return records.flatMap((record) => {
    const problem = problemOf(record, present, isUpdate);
    return problem ? [{ ...problem, record }] : [];
  });
}

function problemOf(
  record: ContactRecord,
  present: Present,
  isUpdate: boolean,
): Problem | undefined {
  const { registrar, code } = record;
  if (!present.registrars.has(registrar)) {
    const message = `there is no registrar ${JSON.stringify(registrar)}`;
    return { reason: 'not_found', message, field: 'registrar' };
  }
  const contact = present.contacts.get(code);
  if (!contact) return problemOfNew(record);
  const changes = Object.entries(difference(contact, record));
  const fixed = changes.filter(([name]) => name === 'registrar' || fixedColumns.includes(name));
  if (isUpdate && changes.length > 0 && fixed.length === 0) {
    const refusal = orRefusal(() => checkProhibition(contact, 'Update'));
    return refusal instanceof RegistryError ? refusal.problems[0] : undefined;
  }
  const other = Object.keys(changesRepresentation(Object.fromEntries(isUpdate ? fixed : changes)));
  if (other.length === 0) return undefined;
  const limit = isUpdate ? '--update does not change that' : 'an import overwrites nothing';
  const message = `${code} already exists with another ${other.join(', ')}; ${limit}`;
  return { reason: 'taken', message, field: 'code' };
}

/** Contacts that moved in may have another registrar's prefix; new codes must have their own registrar's. */
function problemOfNew(record: ContactRecord): Problem | undefined {
  const { registrar, code } = record;
  const baseless = verificationsOf(record).find(({ claim }) => !hasValue(record, claim));
  if (baseless) {
    const { claim } = baseless;
    const message = `${code} has no ${claim} to verify`;
    return { reason: 'invalid', message, field: contactFields[verificationColumn[claim]].file };
  }
  const prefix = `${registrar}:`;
  if (code.startsWith(prefix) && code !== prefix) return undefined;
  const message = `${code} cannot be a new contact code of ${registrar}; write ${prefix}<suffix>`;
  return { reason: 'invalid', message, field: 'code' };
}

function rowOf({ registrar, ...values }: ContactRecord, { actor, request }: Origin) {
  const described = { ...values, authInfo: values.authInfo ?? generateAuthInfo() };
  return {
    ...described,
    ...keysOf(values),
    registrar,
    uuid: values.uuid ?? crypto.randomUUID(),
    creator: values.creator ?? actor.name,
    createdAt: values.createdAt ?? values.updatedAt ?? request.at.toISOString(),
    updatedAt: values.updatedAt ?? values.createdAt,
    changes: difference({}, described),
  };
}
