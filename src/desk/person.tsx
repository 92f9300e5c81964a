import type { Sentence } from '../base/text/sentence.ts';
import { type ContactDeletion, findDeletedContactsBy } from '../contact/operator/administer.ts';
import { findOldestLook, listLooks } from '../contact/operator/looks.ts';
import { listContactsOfSamePerson, listRequestsFor } from '../contact/operator/person.ts';
import { isOfOnePerson } from '../contact/same-person.ts';
import { openDemand } from '../contact/verifications.ts';
import { listDomainsOfContacts } from '../name/domain/operator/list.ts';
import { plain, type Shown } from '../view/columns.ts';
import { contactsView, deletedContacts, identityText } from '../view/contact.ts';
import { receiversSentence, warningSentences } from '../view/disclosure.ts';
import { domainsView } from '../view/domain.ts';
import { countText } from '../view/text.ts';
import { dayText, fieldWords } from '../view/words.ts';
import { Looks } from './looks.tsx';
import { looksAt, Part, pageHref, Rows, type ShowPage } from './page.tsx';

const shownRows = 200;
const shownRequests = 50;
const shownLooks = 50;

/** The key is the UUID of one of the person's contacts, so no identity code stays in the browser's history. */
export const personPage: ShowPage = async ({ registry: { db }, key }) => {
  const uuid = key.toLowerCase();
  const contacts = await listContactsOfSamePerson(db, uuid);
  const one = contacts.find((contact) => contact.uuid === uuid);
  if (!one) return { shows: [], redirect: pageHref('contact', key) };
  const isShared = !isOfOnePerson(one);
  const [domains, former] = await Promise.all([
    listDomainsOfContacts(db, contacts, shownRows),
    // Others may have the same identity.
    isShared ? [] : findDeletedContactsBy(db, { ident: one.ident }, shownRows),
  ]);
  const uuids = [...new Set([...contacts, ...former].map((each) => each.uuid))];
  const [{ own }, looks, oldest] = await Promise.all([
    listRequestsFor(db, one, uuids, shownRequests),
    listLooks(db, uuids, shownLooks),
    findOldestLook(db),
  ]);
  const held = domains.filter(({ registrant }) => registrant !== null).length;
  const least = domains.length < shownRows ? '' : 'at least ';
  const registrars = new Set(contacts.map(({ registrar }) => registrar)).size;
  const some = contacts.length < shownRows ? '' : 'at least ';
  const counted = `${some}${countText(contacts.length, 'contact')} at ${countText(registrars, 'registrar')}`;
  const view = { ...contactsView, table: 'code registrar email phone statuses' };
  return {
    shows: looksAt([...contacts, ...former]),
    title: [{ text: one.name }],
    answer: [
      [
        `The ${identityText(one)} has ${counted} with this identity, ` +
          `holds ${least}${countText(held, 'domain')}, and is named in ${least}${countText(domains.length - held, 'other')}.`,
      ],
      receiversSentence(own, { isCut: own.length === shownRequests, isShared }),
      ...contacts.flatMap((contact): Sentence[] => {
        const { code: key, uuid } = contact;
        const demand = openDemand(contact);
        if (!demand) return [];
        const claims = demand.claims.map(fieldWords).join(', ');
        return [
          [
            `To be checked by ${dayText(demand.by)}: ${claims} of `,
            { kind: 'contact', key, uuid },
            '.',
          ],
        ];
      }),
    ],
    kept: warningSentences(own),
    children: (
      <>
        <Part title={titleOf('contacts', contacts)}>
          <Rows view={view} rows={contacts} links={{ code: 'contact' }} />
        </Part>
        <Part title={titleOf('domains', domains)}>
          <Rows view={domainsView} rows={domains} links={{ name: 'name' }} />
        </Part>
        {former.length > 0 && <Former rows={former} title="Former contacts with this code" />}
        <Looks looks={looks} oldest={oldest} />
      </>
    ),
    next: [['contact', 'list', '--ident', one.ident]],
  };
};

const titleOf = (kind: string, rows: readonly unknown[]) =>
  rows.length < shownRows ? `All ${kind}` : `The first ${shownRows} ${kind}`;

const formerView: Shown<ContactDeletion> = {
  ...deletedContacts,
  columns: { ...deletedContacts.columns, ...plain('name') },
  table: 'code name uuid registrar deleted_at ended',
};

export const Former = ({ rows, title }: { rows: readonly ContactDeletion[]; title: string }) => (
  <Part title={title}>
    <Rows view={formerView} rows={rows} links={{ uuid: 'contact' }} label={title} />
  </Part>
);
