import { and, eq, sql } from 'drizzle-orm';
import { claims, contacts, history } from '../../drizzle/schema.ts';
import { RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { listNewestEntries } from '../change/history/operator/search.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  selectContacts,
  statusesOf,
} from '../contact/contact.ts';
import { isAboutContact } from '../contact/entries.ts';
import { contactColumns, contactFields, verificationColumn } from '../contact/fields.ts';
import type { ContactDeletion } from '../contact/operator/administer.ts';
import type { Disclosure } from '../contact/operator/disclosure/read.ts';
import { isErasing, readErasure } from '../contact/operator/erasure.ts';
import { findOldestLook, listLooks } from '../contact/operator/looks.ts';
import {
  deletedIdentityOf,
  findGoneContacts,
  listContactsOfSamePerson,
  listRequestsFor,
  readEnd,
} from '../contact/operator/person.ts';
import { isOfOnePerson } from '../contact/same-person.ts';
import { openDemand } from '../contact/verifications.ts';
import { listDomains } from '../name/domain/operator/list.ts';
import { checkText, identityText } from '../view/contact.ts';
import {
  disclosuresOfContact,
  receiversSentence,
  warningSentences,
  withAnswerBy,
} from '../view/disclosure.ts';
import { domainsView } from '../view/domain.ts';
import { countText } from '../view/text.ts';
import { fieldWords, isNothing, statusWords, valueText } from '../view/words.ts';
import { Entries, looksAtEntries } from './history.tsx';
import { Looks } from './looks.tsx';
import {
  type DeskPage,
  isUuid,
  looksAt,
  mailHref,
  Part,
  pageHref,
  Rows,
  type ShowPage,
} from './page.tsx';
import { Former } from './person.tsx';

const shownRows = 50;
const shownLooks = 10;

export const contactPage: ShowPage = async ({ registry, key }) => {
  const { db } = registry;
  const code = asciiUpperCase(key);
  const isNamed = isUuid(key) ? eq(contacts.uuid, key.toLowerCase()) : eq(contacts.code, code);
  const [contact] = await selectContacts(db).where(isNamed);
  const uuid = contact?.uuid ?? key.toLowerCase();
  const isAbout =
    contact || isUuid(key)
      ? isAboutContact(sql`${uuid}`)
      : and(eq(history.subject, 'contact'), eq(history.subjectKey, code));
  const entries = await listNewestEntries(db, isAbout, shownRows);
  const shownCode = contact?.code ?? entries[0]?.subjectKey;
  if (shownCode === undefined) throw new RegistryError('not_found', `there is no contact ${key}`);
  const gone = await findGoneContacts(db, shownCode, shownRows);
  if (!contact && !isUuid(key) && gone.length > 1) return choicePage(code, gone);
  const ofContact = { contact: shownCode };
  const domains = contact ? await listDomains(db, { limit: shownRows }, ofContact) : [];
  // Several contacts may have had the code.
  const shownUuid = contact?.uuid ?? entries[0]!.subjectUuid ?? shownCode;
  const before = gone.filter((one) => one.uuid !== shownUuid);
  const end = contact ? undefined : await readEnd(db, entries);
  const identity = contact ?? (end?.deletion && deletedIdentityOf(end.deletion));
  const ofPerson = contact ? await listContactsOfSamePerson(db, shownUuid) : [];
  const uuids = [...new Set([shownUuid, ...ofPerson.map((one) => one.uuid)])];
  const [requests, erasure, looks, oldest] = await Promise.all([
    listRequestsFor(db, identity, uuids, shownRows),
    readErasure(db, { uuid: shownUuid }),
    listLooks(db, [shownUuid], shownLooks),
    findOldestLook(db),
  ]);
  const { own } = requests;
  const others = requests.others.filter((one) => one.contactUuid === shownUuid);
  const requestPart = (title: string, rows: readonly Disclosure[]) =>
    rows.length > 0 && (
      <Part title={title}>
        <Rows
          view={disclosuresOfContact}
          rows={rows.map(withAnswerBy(registry.env))}
          links={{ id: 'disclosure' }}
          label={title}
        />
      </Part>
    );
  const isErasable = isErasing(erasure) && !erasure.problem;
  const isCut = domains.length === shownRows;
  return {
    shows: contact ? looksAt([contact]) : looksAtEntries(entries),
    title: contact ? [{ text: contact.name }, ` (${shownCode})`] : shownCode,
    answer: [
      contact ? identitySentence(contact) : endSentence(end ?? {}),
      ...(identity
        ? [
            receiversSentence(own, {
              isCut: own.length === shownRows,
              isShared: !isOfOnePerson(identity),
            }),
          ]
        : []),
    ],
    kept: warningSentences(own),
    facts: contact ? factsOf(contact) : [],
    children: (
      <>
        {contact && (
          <Part title={isCut ? `The first ${shownRows} domains` : 'Domains'}>
            <Rows view={domainsView} rows={domains} links={{ name: 'name' }} />
          </Part>
        )}
        <Entries entries={entries} />
        {contact && (
          <p>
            <a href={pageHref('person', contact.uuid)}>
              All contacts and domains with this identity
            </a>
          </p>
        )}
        {requestPart('Who asked for data with this identity', own)}
        {requestPart('Who asked for data of other persons who had this contact', others)}
        {before.length > 0 && <Former rows={before} title="Other contacts that had this code" />}
        <Looks looks={looks} oldest={oldest} uuid={shownUuid} />
      </>
    ),
    next: [
      ...(contact ? [['contact', 'show', shownCode]] : []),
      ...(contact ? [['contact', 'update', '--help']] : []),
      ['history', 'contact', shownCode],
      ...(looks.length > 0 ? [['contact', 'looks', shownUuid]] : []),
      ...(isErasable ? [['contact', 'erase', shownUuid, '--dry-run']] : []),
    ],
  };
};

const identitySentence = (contact: ContactWithRegistrar): Sentence => [
  `The ${identityText(contact)}, a contact of `,
  { kind: 'registrar', key: contact.registrar },
  '.',
];

/** Nothing links an erased contact to a person any more. */
function endSentence({
  deletion,
  removal,
  isErasure,
}: Awaited<ReturnType<typeof readEnd>>): Sentence {
  const gone = 'This contact no longer exists';
  if (!deletion) return [`${gone}.`];
  const when = ({ occurredAt: instant, actor }: HistoryEntry) =>
    sentence`${{ instant }} by ${{ actor }}`;
  if (!removal) return sentence`${gone}: it was deleted on ${when(deletion)}.`;
  if (!isErasure)
    return sentence`${gone}: it was deleted on ${when(deletion)}. Its values have been removed, by an erasure or for their age.`;
  const request = removal.requestId
    ? sentence`, request ${{ kind: 'request', key: removal.requestId }}`
    : '';
  return sentence`${gone}: it was erased on ${when(removal)}${request}. To whom its data were given is no longer known.`;
}

const choicePage = (code: string, rows: readonly ContactDeletion[]): DeskPage => ({
  shows: looksAt(rows),
  title: code,
  answer: [[`${countText(rows.length, 'contact')} had this code, and none has it now: choose.`]],
  children: <Former rows={rows} title="Contacts that had this code" />,
  next: [['history', 'contact', code]],
});

/** The columns of each fact: all of an address, one of any other. */
const factColumns = Map.groupBy(
  contactColumns.flatMap(([column, { isOnDesk }]) => (isOnDesk ? [column] : [])),
  (column) => contactFields[column].group ?? column,
);

function factsOf(contact: ContactWithRegistrar): NonNullable<DeskPage['facts']> {
  const { email, identityRequest } = contact;
  const checks = claims.map((claim) => [claim, contact[verificationColumn[claim]]] as const);
  const unchecked = checks.filter(([, check]) => check === null).map(([claim]) => claim);
  const statuses = statusesOf(contact).map((status) => statusText(contact, status));
  /** Facts that a field's own word and value don't say. */
  const wordings: Record<string, [label: string, value: unknown]> = {
    email: ['email', <a href={mailHref(email)}>{email}</a>],
    statuses: ['statuses', statuses.join('; ')],
    ...Object.fromEntries(
      checks.map(([claim, check]) => [
        verificationColumn[claim],
        [`${fieldWords(claim)} verified`, check && checkText(check)],
      ]),
    ),
    verificationDemand: ['to_be_checked', openDemand(contact)],
    identityRequest: ['to_be_decided', identityRequest?.pending],
  };
  const valueIn = (column: keyof Contact) =>
    isNothing(contact[column]) ? [] : [valueText(contact[column], column)];
  const facts = [...factColumns].map(
    ([name, columns]) => wordings[name] ?? ([name, columns.flatMap(valueIn).join(', ')] as const),
  );
  return [...facts, ['not checked', unchecked.map(fieldWords).join(', ')]];
}

function statusText({ statusNotes }: ContactWithRegistrar, status: string): string {
  return [statusWords(status), statusNotes[status]].filter(Boolean).join(': ');
}
