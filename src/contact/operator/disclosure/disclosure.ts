import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, disclosures } from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import { RegistryError } from '../../../base/error.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { textField } from '../../../base/text/field.ts';
import { difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changeOf, write } from '../../../change/write.ts';
import { isUnchanged, selectContacts } from '../../contact.ts';
import {
  type Disclosure,
  discloseableFields,
  disclosedValues,
  findGrantObstacle,
  type GrantObstacle,
  getDisclosure,
} from './read.ts';

export interface NewDisclosure
  extends Pick<
    Disclosure,
    'requester' | 'identifiedBy' | 'organization' | 'basis' | 'requestedFields' | 'isConfidential'
  > {
  contact: string;
  receivedAt: Date;
}

/** The highest id ever used, even before a restore of the database. */
const lastId = sql<number>`max(ifnull(max(${disclosures.id}), 0),
  ifnull((select seq from sqlite_sequence where name = 'disclosures'), 0))`;

/**
 * Opens a request about the present holder of a contact. Throws `not_found`, and `invalid` for unknown fields,
 * unacceptable text or a future receipt.
 */
export async function openDisclosure(
  operation: Operation,
  { contact: code, receivedAt, requestedFields, isConfidential, ...notes }: NewDisclosure,
): Promise<Disclosure> {
  const { db, origin } = operation;
  if (receivedAt > origin.request.at) {
    throw new RegistryError('invalid', 'the time of receipt is in the future', 'received');
  }
  const request = {
    requester: noteOf(notes.requester, 'requester'),
    identifiedBy: noteOf(notes.identifiedBy, 'identified_by'),
    organization: noteOf(notes.organization, 'organization'),
    basis: noteOf(notes.basis, 'basis'),
    requestedFields: chosenFields(requestedFields, discloseableFields),
    isConfidential,
    receivedAt: receivedAt.toISOString(),
  };
  const look = () =>
    db.batch([
      selectContacts(db).where(eq(contacts.code, asciiUpperCase(code))),
      db.select({ last: lastId }).from(disclosures),
    ]);
  const judge = ([[contact], [row]]: Awaited<ReturnType<typeof look>>): Change<Disclosure> => {
    if (!contact) {
      throw new RegistryError('not_found', `there is no contact ${code}`, 'contact');
    }
    const { identCountryCode, identKey, identType, uuid, code: contactCode } = contact;
    const id = row!.last + 1;
    const opened = {
      id,
      ...request,
      identCountryCode,
      identKey,
      identType,
      contactUuid: uuid,
      contactCode,
      outcome: null,
      answeredAt: null,
      grantedFields: null,
      visibleAfter: null,
      explanation: null,
    };
    const change = changeOf(operation, subjectOf(id));
    return {
      ...change,
      action: 'create',
      // Leaves the person out, because history outlives an erasure.
      changes: difference({}, request),
      onlyIf: sql`not exists (select 1 from ${disclosures} where id = ${id})
        and ${isUnchanged(contact)}`,
      statements: [insertRows(db, disclosures, opened, sql`where ${change.isWritten}`)],
      outcome: opened,
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/**
 * Grants an open request, or some of its fields, and returns the disclosed values. Throws `not_found` for an unknown
 * request, `gone` for a deleted contact, `conflict` for another holder or an answered request, and `invalid` for an empty
 * or unrequested field, or a past time.
 */
export async function grantDisclosure(
  operation: Operation,
  id: number,
  { fields, visibleAfter }: { fields?: readonly string[]; visibleAfter?: Date | undefined },
): Promise<{ disclosure: Disclosure; values: Record<string, unknown> }> {
  const { db, origin } = operation;
  const look = () => getDisclosure(db, id);
  const judge = ({ disclosure: request, contact }: Awaited<ReturnType<typeof look>>) => {
    checkOpen(request);
    const obstacle = findGrantObstacle({ disclosure: request, contact }, fields);
    if (obstacle) throw grantRefusal(request, obstacle);
    if (visibleAfter && request.isConfidential) {
      const message = `disclosure ${id} is confidential: the person never sees it`;
      throw new RegistryError('invalid', message, 'visible_after');
    }
    if (visibleAfter && visibleAfter <= origin.request.at) {
      const message = 'the time from which the person may see it is in the past';
      throw new RegistryError('invalid', message, 'visible_after');
    }
    const grantedFields = chosenFields(fields ?? request.requestedFields, request.requestedFields);
    const answer = {
      outcome: 'granted',
      grantedFields,
      visibleAfter: visibleAfter?.toISOString() ?? null,
    } as const;
    const change = answerChange(operation, request, answer, isUnchanged(contact!));
    const values = disclosedValues(contact!, grantedFields);
    return { ...change, outcome: { disclosure: change.outcome, values } };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/**
 * Refuses an open request, or returns it as incomplete, with an explanation. Throws `not_found`, `invalid`, and
 * `conflict` for an answered request.
 */
export async function declineDisclosure(
  operation: Operation,
  id: number,
  answer: { outcome: 'refused' | 'returned'; explanation: string },
): Promise<Disclosure> {
  const { db, origin } = operation;
  const field = answer.outcome === 'refused' ? 'reason' : 'missing';
  const explanation = noteOf(answer.explanation, field);
  const look = () => getDisclosure(db, id);
  const judge = ({ disclosure }: Awaited<ReturnType<typeof look>>) => {
    checkOpen(disclosure);
    return answerChange(operation, disclosure, { ...answer, explanation });
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

function checkOpen({ id, outcome, answeredAt }: Disclosure): void {
  if (outcome === null) return;
  const message = `disclosure ${id} is answered already: it was ${outcome} at ${answeredAt}`;
  throw new RegistryError('conflict', message, 'id');
}

function grantRefusal({ id, contactCode: code }: Disclosure, obstacle: GrantObstacle) {
  const field = 'contact';
  const refusing = (reason: string) => ['disclosure', 'refuse', String(id), '--reason', reason];
  if (obstacle.kind === 'gone') {
    const command = refusing('the contact no longer exists');
    const message = `the contact of request ${id} is gone; refuse it`;
    return new RegistryError([{ reason: 'gone', message, field, command }]);
  }
  if (obstacle.kind === 'former_person') {
    const command = refusing('the contact is of another person now');
    const message = `request ${id} is about a former person of ${code}; refuse it`;
    return new RegistryError([{ reason: 'conflict', message, field, command }]);
  }
  const message = `contact ${code} has no ${obstacle.fields.join(', ')}; leave it out of --fields`;
  return new RegistryError('invalid', message, 'fields');
}

function answerChange(
  operation: Operation,
  disclosure: Disclosure,
  answer: Partial<Disclosure>,
  onlyIf: SQL = sql`true`,
): Change<Disclosure> {
  const { db, origin } = operation;
  const values = { ...answer, answeredAt: origin.request.at.toISOString() };
  const isThis = eq(disclosures.id, disclosure.id);
  const change = changeOf(operation, subjectOf(disclosure.id));
  return {
    ...change,
    action: 'update',
    changes: difference(disclosure, values),
    onlyIf: sql`exists (select 1 from ${disclosures}
      where id = ${disclosure.id} and outcome is null)
      and ${onlyIf}`,
    statements: [db.update(disclosures).set(values).where(and(isThis, change.isWritten))],
    outcome: { ...disclosure, ...values },
  };
}

function subjectOf(id: number) {
  return { type: 'disclosure', key: String(id) } as const;
}

/** Returns each field once, in the order of `allowed`. Throws `invalid`. */
function chosenFields(fields: readonly string[], allowed: readonly string[]): string[] {
  const unknown = fields.find((field) => !allowed.includes(field));
  if (unknown === undefined && fields.length > 0) {
    return allowed.filter((field) => fields.includes(field));
  }
  const problem =
    unknown === undefined ? 'no field is given' : `not a field: ${JSON.stringify(unknown)}`;
  throw new RegistryError('invalid', `${problem}; choose from ${allowed.join(', ')}`, 'fields');
}

const maximumNote = 1_000;
const note = textField(`must be text of 1 to ${maximumNote} characters`, maximumNote);

function noteOf(text: string, field: string): string {
  const { data, error } = note.safeParse(text);
  if (error) throw new RegistryError('invalid', `${field} ${error.issues[0]!.message}`, field);
  return data;
}
