import { eq } from 'drizzle-orm';
import { contacts, registrars } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../base/error.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { type ContactWithRegistrar, selectContacts } from '../../contact/contact.ts';
import { findContacts } from '../../contact/operator/find.ts';
import { findDomainName } from '../../name/domain/operator/name.ts';
import { contactsView } from '../nouns/contact/index.ts';
import type { Registry } from '../registry.ts';
import { findRequest } from './history.tsx';
import { Part, pageHref, Rows, type ShowPage } from './page.tsx';

/** More contacts than these are not listed. */
const shownContacts = 20;

async function findAll({ db }: Registry, text: string) {
  const code = asciiUpperCase(text);
  const isAddress = text.includes('@');
  const traces = isAddress ? [{ email: text }] : [{ nameBeginning: text }, { ident: text }];
  const [named, ofCode, request, ...traced] = await Promise.all([
    selectContacts(db).where(eq(contacts.code, code)),
    db.select().from(registrars).where(eq(registrars.code, code)),
    // A client's own reference is shorter, and not unique.
    text.length === 36 ? findRequest(db, text) : [],
    ...traces.map((trace) => findContacts(db, trace, shownContacts + 1)),
  ]);
  const people = new Map<string, ContactWithRegistrar>();
  for (const contact of [...named, ...traced.flat()]) people.set(contact.code, contact);
  const name =
    text.includes('.') && !isAddress ? await findDomainName(db, text).catch(ignored) : undefined;
  const pages = [
    ...(name ? [pageHref('name', name.name)] : []),
    ...ofCode.map((registrar) => pageHref('registrar', registrar.code)),
    ...request.slice(0, 1).map(({ id }) => `${pageHref('request', text)}?near=${id}`),
  ];
  return { pages, people: [...people.values()] };
}

function ignored(error: unknown): undefined {
  if (!(error instanceof RegistryError)) throw error;
}

/** Leads to the one hit; several are listed. */
export const findPage: ShowPage = async ({ registry, query }) => {
  const text = query('q').trim();
  if (text === '') return { redirect: '/' };
  const { pages, people } = await findAll(registry, text);
  const all = [...pages, ...people.map(({ code }) => pageHref('contact', code))];
  if (all.length === 1) return { redirect: all[0]! };
  return {
    title: all.length === 0 ? 'Nothing found' : `Found for ${text}`,
    next: [
      ...(text.includes('@') ? [] : [['contact', 'list', '--ident', text, '--deleted']]),
      ['history', '--request', text],
    ],
    children: (
      <>
        {all.length === 0 && (
          <p class="lead">A name needs its ending, a person's name its beginning.</p>
        )}
        {pages.length > 0 && (
          <ul>
            {pages.map((href) => (
              <li>
                <a href={href}>{decodeURIComponent(href.slice(1).replace(/\?.*/, ''))}</a>
              </li>
            ))}
          </ul>
        )}
        <Part title="Contacts">
          <Rows
            view={contactsView}
            rows={people.slice(0, shownContacts)}
            links={{ code: 'contact' }}
          />
          {people.length > shownContacts && <p>More match: give more of the name.</p>}
        </Part>
      </>
    ),
  };
};
