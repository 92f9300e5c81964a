import { or } from 'drizzle-orm';
import { contacts, registrars } from '../../drizzle/schema.ts';
import { isIn, jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { type Problem, type RecordProblem, throwProblems } from '../error.ts';
import { difference, shownChanges } from '../history/changes.ts';
import { type ChangeOptions, changeEach, changesOfRows, type Origin, writeMany } from '../write.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  generateAuthInfo,
  selectContacts,
} from './contact.ts';
import { insertContacts } from './create.ts';
import type { FileColumn, RequiredColumn } from './fields.ts';
import { keysOf } from './keys.ts';

/** A contact from any registry, even this one. It keeps the values that it brings; the registry fills in the others. */
export type ContactRecord = Pick<Contact, RequiredColumn | 'code'> &
  Partial<Pick<Contact, FileColumn>> & {
    registrar: string;
  };

/**
 * The reasons why records cannot be imported: an unknown registrar, a new code without the registrar's prefix, a UUID
 * that another contact has, or a contact that exists with other values, which an import does not overwrite.
 */
export async function findContactProblems(
  db: Database,
  records: readonly ContactRecord[],
): Promise<RecordProblem<ContactRecord>[]> {
  return problemsOf(records, await loadPresent(db, records));
}

/**
 * Adds the contacts that do not exist yet, all of them or none, numbered in the order of the records, and returns how
 * many. It is one batch: pass at most some ten thousand records. A dry run checks and writes nothing. Throws the
 * problems of `findContactProblems`.
 */
export function importContacts(
  db: Database,
  origin: Origin,
  records: readonly ContactRecord[],
  options: ChangeOptions = {},
): Promise<number> {
  const plan = async () => {
    const present = await loadPresent(db, records);
    throwProblems(problemsOf(records, present));
    const missing = records.filter(({ code }) => !present.contacts.has(code));
    const rows = missing.map((record, place) => ({ ...rowOf(record, origin), place }));
    const added = jsonArrays(rows)
      .map(rowsIn)
      .map((some) => {
        const additions = [insertContacts(db, some, origin.request.at)];
        return changesOfRows('contact', 'create', some, additions, 'code');
      });
    return { outcome: missing.length, write: () => changeEach(db, origin, { added }) };
  };
  return writeMany(db, origin.request, plan, options);
}

/** Loads the existing rows to which the records refer; contacts are found by their codes and UUIDs. */
async function loadPresent(db: Database, records: readonly ContactRecord[]) {
  const codes = await db.select({ code: registrars.code }).from(registrars);
  const present = {
    registrars: new Set(codes.map(({ code }) => code)),
    contacts: new Map<string, ContactWithRegistrar>(),
  };
  for (const keys of jsonArrays(
    records.flatMap(({ code, uuid }) => [code, ...(uuid ? [uuid] : [])]),
  )) {
    const isMeant = or(isIn(contacts.code, keys), isIn(contacts.uuid, keys));
    for (const contact of await selectContacts(db).where(isMeant)) {
      present.contacts.set(contact.code, contact).set(contact.uuid, contact);
    }
  }
  return present;
}

type Present = Awaited<ReturnType<typeof loadPresent>>;

function problemsOf(
  records: readonly ContactRecord[],
  present: Present,
): RecordProblem<ContactRecord>[] {
  return records.flatMap((record) => {
    const problem = problemOf(record, present);
    return problem ? [{ ...problem, record }] : [];
  });
}

function problemOf(record: ContactRecord, present: Present): Problem | undefined {
  const { registrar, code, uuid } = record;
  if (!present.registrars.has(registrar)) {
    const message = `there is no registrar ${JSON.stringify(registrar)}`;
    return { reason: 'not_found', message, field: 'registrar' };
  }
  const owner = uuid && present.contacts.get(uuid);
  if (owner && owner.code !== code) {
    const message = `${uuid} is already the UUID of ${owner.code}`;
    return { reason: 'taken', message, field: 'uuid' };
  }
  const contact = present.contacts.get(code);
  if (!contact) return problemOfNewCode(record);
  const other = Object.keys(shownChanges(difference(contact, record)));
  if (other.length === 0) return undefined;
  const message = `${code} already exists with another ${other.join(', ')}; an import overwrites nothing`;
  return { reason: 'taken', message, field: 'code' };
}

/** Existing codes may begin with another registrar's code, because contacts move in with theirs; new ones may not. */
function problemOfNewCode({ registrar, code }: ContactRecord): Problem | undefined {
  const prefix = `${registrar}:`;
  if (code.startsWith(prefix) && code !== prefix) return undefined;
  const message = `${code} cannot be a new contact code of ${registrar}; write ${prefix}<suffix>`;
  return { reason: 'invalid', message, field: 'code' };
}

function rowOf({ registrar, ...given }: ContactRecord, { actor, request }: Origin) {
  const described = { ...given, authInfo: given.authInfo ?? generateAuthInfo() };
  return {
    ...described,
    ...keysOf(given),
    registrar,
    uuid: given.uuid ?? crypto.randomUUID(),
    creator: given.creator ?? actor.name,
    createdAt: given.createdAt ?? given.updatedAt ?? request.at.toISOString(),
    updatedAt: given.updatedAt ?? given.createdAt,
    changes: difference({}, described),
  };
}
