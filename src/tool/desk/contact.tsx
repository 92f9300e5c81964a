import { and, eq, sql } from 'drizzle-orm';
import { contacts, history } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../base/error.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { shownField } from '../../change/history/changes.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import type { HistoryEntry } from '../../change/history/search.ts';
import { type ContactWithRegistrar, selectContacts } from '../../contact/contact.ts';
import { isAboutContact } from '../../contact/entries.ts';
import { listDomains } from '../../name/domain/operator/list.ts';
import { contactsView } from '../nouns/contact/index.ts';
import { domainsView } from '../nouns/domain/index.ts';
import { fieldText } from '../report/text.ts';
import { Entries } from './history.tsx';
import { Fields, Part, Rows, type ShowPage, Table } from './page.tsx';

const shownRows = 50;

/** A contact by its code or UUID, with its domains and its history; also one that is gone. */
export const contactPage: ShowPage = async ({ registry: { db }, key, query }) => {
  const isCode = key.includes(':');
  const code = asciiUpperCase(key);
  const isNamed = isCode ? eq(contacts.code, code) : eq(contacts.uuid, key);
  const [contact] = await selectContacts(db).where(isNamed);
  const uuid = contact?.uuid ?? key;
  const isAbout =
    contact || !isCode
      ? isAboutContact(sql`${uuid}`)
      : and(eq(history.subject, 'contact'), eq(history.subjectKey, code));
  const entries = await listNewestEntries(db, isAbout, shownRows);
  const shownCode = contact?.code ?? entries[0]?.subjectKey;
  if (shownCode === undefined) throw new RegistryError('not_found', `there is no contact ${key}`);
  const domains = contact && (await listDomains(db, { limit: shownRows }, { contact: shownCode }));
  return {
    title: contact ? `${contact.name} (${shownCode})` : shownCode,
    next: [
      ...(contact ? [['contact', 'update', shownCode, '--help']] : []),
      ['history', 'contact', shownCode],
      ['contact', 'erase', contact ? shownCode : key, '--dry-run'],
    ],
    children: (
      <>
        {contact ? (
          <Fields columns={contactsView.columns} row={contact} links={{ registrar: 'registrar' }} />
        ) : (
          <p class="lead">This contact no longer exists.</p>
        )}
        {domains && (
          <Part title="Domains">
            <Rows view={domainsView} rows={domains} links={{ name: 'name' }} />
          </Part>
        )}
        <Moments contact={contact} entries={entries} chosen={['then', 'later'].map(query)} />
        <Entries entries={entries} />
      </>
    ),
  };
};

/** Two moments side by side, as chosen; at first, before and after the last change. */
function Moments(props: {
  contact: ContactWithRegistrar | undefined;
  entries: readonly HistoryEntry[];
  chosen: string[];
}) {
  const moments = momentsOf(props.contact, props.entries);
  const chosen = props.chosen.map((id, index) => {
    return moments.find((moment) => String(moment.entry.id) === id) ?? moments[1 - index];
  });
  const [then, later] = chosen;
  if (!then || !later) return null;
  const fields = [...new Set(props.entries.flatMap(({ changes }) => Object.keys(changes)))];
  const rows = fields.map((field) => {
    const [before, after] = [fieldText(then.values[field]), fieldText(later.values[field])];
    return [shownField(field), before, before === after ? after : <mark>{after}</mark>];
  });
  return (
    <Part title="Two moments">
      <form class="moments">
        {['then', 'later'].map((name, place) => (
          <label>
            {name}{' '}
            <select name={name}>
              {moments.map(({ entry }) => (
                <option value={entry.id} selected={entry === chosen[place]!.entry}>
                  {entry.occurredAt}
                </option>
              ))}
            </select>
          </label>
        ))}
        <button type="submit">Compare</button>
      </form>
      <Table label="Two moments" columns={['field', 'then', 'later']} rows={rows} />
    </Part>
  );
}

/** The values after each entry, by going back from today's. One that the history does not keep is undefined. */
function momentsOf(contact: ContactWithRegistrar | undefined, entries: readonly HistoryEntry[]) {
  let values: Record<string, unknown> = { ...contact };
  return entries.map((entry) => {
    const moment = { entry, values };
    const before = Object.entries(entry.changes).map(([field, change]) => {
      return [field, 'from' in change ? change.from : undefined];
    });
    values = { ...values, ...Object.fromEntries(before) };
    return moment;
  });
}
