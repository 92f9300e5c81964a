import { type ContactDeletion, findDeletedContactsBy } from '../contact/operator/administer.ts';
import { listContactsOfPerson } from '../contact/operator/person.ts';
import { listDomainsOfContacts } from '../name/domain/operator/list.ts';
import { plain, type Shown } from '../view/columns.ts';
import { contactsView, deletedContacts } from '../view/contact.ts';
import { domainsView } from '../view/domain.ts';
import { countText } from '../view/text.ts';
import { identityText } from './contact.tsx';
import { looksAt, Part, pageHref, Rows, type ShowPage } from './page.tsx';

const shownRows = 200;

/** The key is the UUID of one of the person's contacts, so no identity code stays in the browser's history. */
export const personPage: ShowPage = async ({ registry: { db }, key }) => {
  const uuid = key.toLowerCase();
  const contacts = await listContactsOfPerson(db, uuid);
  const one = contacts.find((contact) => contact.uuid === uuid);
  if (!one) return { shows: [], redirect: pageHref('contact', key) };
  const [domains, former] = await Promise.all([
    listDomainsOfContacts(db, contacts, shownRows),
    // Others have the same birthday.
    one.identType === 'birthday' ? [] : findDeletedContactsBy(db, { ident: one.ident }, shownRows),
  ]);
  const registrars = new Set(contacts.map(({ registrar }) => registrar)).size;
  const counted = `${countText(contacts.length, 'contact')} at ${countText(registrars, 'registrar')}`;
  const view = { ...contactsView, table: 'code registrar email phone statuses' };
  return {
    shows: looksAt([...contacts, ...former]),
    title: [{ text: one.name }],
    answer: [
      [`The ${identityText(one)} has ${counted}, and ${countText(domains.length, 'domain')}.`],
    ],
    children: (
      <>
        <Part title={titleOf('contacts', contacts)}>
          <Rows view={view} rows={contacts} links={{ code: 'contact' }} />
        </Part>
        <Part title={titleOf('domains', domains)}>
          <Rows view={domainsView} rows={domains} links={{ name: 'name' }} />
        </Part>
        {former.length > 0 && <Former rows={former} title="Former contacts with this code" />}
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
    <Rows view={formerView} rows={rows} links={{ uuid: 'contact' }} />
  </Part>
);
