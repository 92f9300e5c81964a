import { and, eq, sql } from 'drizzle-orm';
import { claims, contacts, history } from '../../drizzle/schema.ts';
import { RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import type { Sentence } from '../base/text/sentence.ts';
import { listNewestEntries } from '../change/history/operator/search.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  selectContacts,
  statusesOf,
} from '../contact/contact.ts';
import { isAboutContact } from '../contact/entries.ts';
import { verificationColumn } from '../contact/fields.ts';
import { type Disclosure, listDisclosuresOf } from '../contact/operator/disclosure/read.ts';
import { isErasing, readErasure } from '../contact/operator/erasure.ts';
import { listLastLooks } from '../contact/operator/looks.ts';
import { listDomains } from '../name/domain/operator/list.ts';
import { checkText } from '../view/contact.ts';
import { disclosuresOfContact, withAnswerBy } from '../view/disclosure.ts';
import { domainsView } from '../view/domain.ts';
import { countryText, dateText, fieldWords, statusWords, timeText } from '../view/words.ts';
import { contactsIn, Entries } from './history.tsx';
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

const shownRows = 50;

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
  const ofContact = { contact: shownCode };
  const domains = contact ? await listDomains(db, { limit: shownRows }, ofContact) : [];
  // Several contacts may have had the code.
  const shownUuid = contact?.uuid ?? entries[0]!.subjectUuid ?? shownCode;
  const [disclosures, erasure, looks] = await Promise.all([
    listDisclosuresOf(db, shownUuid, shownRows),
    readErasure(db, { uuid: shownUuid }),
    listLastLooks(db, shownUuid, shownRows),
  ]);
  const isErasable = isErasing(erasure) && !erasure.problem;
  const isCut = domains.length === shownRows;
  return {
    shows: contact ? looksAt([contact]) : contactsIn(entries),
    title: contact ? [{ text: contact.name }, ` (${shownCode})`] : shownCode,
    answer: [
      contact ? identitySentence(contact) : ['This contact no longer exists.'],
      ...disclosureSentences(disclosures),
    ],
    facts: contact ? factsOf(contact) : [],
    children: (
      <>
        {contact && (
          <p>
            <a href={pageHref('person', contact.uuid)}>All contacts and domains of this person</a>
          </p>
        )}
        {contact && (
          <Part title={isCut ? `The first ${shownRows} domains` : 'Domains'}>
            <Rows view={domainsView} rows={domains} links={{ name: 'name' }} />
          </Part>
        )}
        <Entries entries={entries} />
        {disclosures.length > 0 && (
          <Part title="Who asked for its data">
            <Rows
              view={disclosuresOfContact}
              rows={disclosures.map(withAnswerBy(registry.env))}
              links={{ id: 'disclosure' }}
            />
          </Part>
        )}
        <Part title="Who looked">
          <p>
            {looks.map((look) => `${look.lookedBy}, ${timeText(look.lookedAt)}`).join('; ') ||
              'Nobody.'}
          </p>
        </Part>
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

/** `person 48703146529 (Estonia)`. */
export function identityText({ ident, identType, identCountryCode }: Contact): string {
  const code = identType === 'birthday' ? dateText(ident) : ident;
  return `${fieldWords(identType)} ${code} (${countryText(identCountryCode)})`;
}

/** Says nothing if older requests are not read. */
function disclosureSentences(disclosures: readonly Disclosure[]): Sentence[] {
  const granted = disclosures.filter(({ outcome }) => outcome === 'granted');
  if (granted.length === 0 && disclosures.length === shownRows) return [];
  const receivers = granted.map(({ organization, isConfidential }) =>
    isConfidential ? `${organization} (kept from the person)` : organization,
  );
  return [[`Its data were given to ${[...new Set(receivers)].join(', ') || 'nobody'} on request.`]];
}

function factsOf(contact: ContactWithRegistrar): DeskPage['facts'] {
  const { email, phone, fax, street, zip, city, state, orgName } = contact;
  const checks = claims.map((claim) => [claim, contact[verificationColumn[claim]]] as const);
  const unchecked = checks.filter(([, check]) => check === null).map(([claim]) => claim);
  const address = [street, zip, city, state, countryText(contact.countryCode)];
  return [
    ['email', <a href={mailHref(email)}>{email}</a>],
    ...Object.entries({ phone, fax, orgName }),
    ['address', address.filter(Boolean).join(', ')],
    [
      'statuses',
      statusesOf(contact)
        .map((each) => statusText(contact, each))
        .join('; '),
    ],
    ...checks.map(
      ([claim, check]) => [`${fieldWords(claim)} verified`, check && checkText(check)] as const,
    ),
    ['not checked', unchecked.map(fieldWords).join(', ')],
    ['to_be_checked', contact.verificationDemand],
    ['to_be_decided', contact.identityRequest?.pending],
  ];
}

function statusText({ statusNotes }: ContactWithRegistrar, status: string): string {
  return [statusWords(status), statusNotes[status]].filter(Boolean).join(': ');
}
