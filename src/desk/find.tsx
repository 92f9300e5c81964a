import { nameRulesOf } from '../base/env.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { findContacts } from '../contact/operator/find.ts';
import { hasWords } from '../contact/operator/words.ts';
import { findNearNames, nameWithin } from '../name/domain/operator/near.ts';
import { listRegistrars } from '../party/registrar/operator/account.ts';
import { contactsView, deletedContacts } from '../view/contact.ts';
import { findRequest } from './history.tsx';
import {
  type DeskPage,
  type DeskRegistry,
  isUuid,
  Part,
  pageHref,
  Rows,
  type ShowPage,
} from './page.tsx';

const linksOfFormer = { uuid: 'contact' } as const;
/** The page shows no more of each kind. */
const shown = 20;

/** Finds everything but domain names. */
async function findAll({ db }: DeskRegistry, text: string) {
  const [{ byCode, byIdentifier, byName, former }, requests, all] = await Promise.all([
    findContacts(db, text, shown + 1),
    isUuid(text) ? findRequest(db, text) : [],
    listRegistrars(db),
  ]);
  const code = asciiUpperCase(text);
  const owners = all.filter((owner) => owner.code === code || hasWords(owner.name, text));
  const people = new Map([...byCode, ...byIdentifier, ...byName].map((each) => [each.code, each]));
  const list = ['contact', 'list', text.includes('@') ? '--email' : '--ident', text];
  return {
    pages: [
      ...owners.map((owner) => pageHref('registrar', owner.code)),
      ...requests.slice(0, 1).map(({ id }) => `${pageHref('request', text)}?near=${id}`),
    ],
    people: [...people.values()],
    former,
    commands: [
      ...(byName.length > 0 ? [['contact', 'list', '--name', text]] : []),
      ...(byIdentifier.length > 0 ? [list] : []),
      ...(former.length > 0 ? [[...list, '--deleted']] : []),
    ],
  };
}

export const findPage: ShowPage = async ({ registry, query }) => {
  const text = query('q').trim();
  if (text === '') return { redirect: '/' };
  const name = await nameWithin(registry.db, text);
  const near = (of: string) => findNearNames(registry.db, of, nameRulesOf(registry.env));
  if (name) {
    const names = await near(name);
    const isAnswered = names.length === 0 || names.some((each) => `.${name}`.endsWith(`.${each}`));
    return isAnswered ? { redirect: pageHref('name', name) } : pageOfNear(name, names);
  }
  const { pages, people, former, commands } = await findAll(registry, text);
  const all = [
    ...pages,
    ...people.map(({ code }) => pageHref('contact', code)),
    ...former.map(({ uuid }) => pageHref('contact', uuid)),
  ];
  if (all.length === 1) return { redirect: all[0]! };
  if (all.length === 0) return pageOfNear(text, /[\s@:]/.test(text) ? [] : await near(text));
  const isCut = [pages, people, former].some(({ length }) => length > shown);
  return {
    title: `Found for ${text}`,
    next: commands,
    children: (
      <>
        {isCut && <p class="lead">The first {shown} of each kind. Add words to find fewer.</p>}
        <Links hrefs={pages.slice(0, shown)} />
        <Rows view={contactsView} rows={people.slice(0, shown)} links={{ code: 'contact' }} />
        {former.length > 0 && (
          <Part title="Former contacts">
            <Rows view={deletedContacts} rows={former.slice(0, shown)} links={linksOfFormer} />
          </Part>
        )}
      </>
    ),
  };
};

const pageOfNear = (text: string, names: readonly string[]): DeskPage => ({
  title: 'Nothing found',
  // The desk has looked for recent requests only.
  next: isUuid(text) ? [['history', '--request', text]] : [],
  children:
    names.length > 0 ? (
      <>
        <p class="lead">Nothing is recorded of {text}. These names are near:</p>
        <Links hrefs={names.map((name) => pageHref('name', name))} />
      </>
    ) : (
      <p class="lead">Enter words of a name, or a full code, address, domain name or request id.</p>
    ),
});

const labelOf = (href: string) =>
  decodeURIComponent(href.replace(/^\/(name\/)?|\?.*/g, '').replace('/', ' '));

const Links = ({ hrefs }: { hrefs: readonly string[] }) =>
  hrefs.length === 0 ? null : (
    <ul>
      {hrefs.map((href) => (
        <li>
          <a href={href}>{labelOf(href)}</a>
        </li>
      ))}
    </ul>
  );
