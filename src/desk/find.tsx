import type { Database } from '../base/database/open.ts';
import { nameRulesOf } from '../base/env.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { maximumNameOctets } from '../base/text/domain-name.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { typed } from '../base/text/typed.ts';
import type { ContactDeletion } from '../contact/operator/administer.ts';
import { type FoundContacts, findContacts, findNearPersons } from '../contact/operator/find.ts';
import {
  findAskedFor,
  findGoneContacts,
  listContactsOfSamePerson,
} from '../contact/operator/person.ts';
import { hasWords, wordsOf } from '../contact/operator/words.ts';
import { findNearNames, nameWithin } from '../name/domain/operator/near.ts';
import { listRegistrars } from '../party/registrar/operator/account.ts';
import { contactsView } from '../view/contact.ts';
import { joinThings } from '../view/sentence.ts';
import type { DeskLook } from './guard.ts';
import { findRequest } from './history.tsx';
import {
  type DeskPage,
  type DeskRegistry,
  isUuid,
  looksAt,
  Part,
  pageHref,
  Rows,
  Sentences,
  type ShowPage,
} from './page.tsx';
import { Former } from './person.tsx';

const foundView = { ...contactsView, table: 'code ident email phone statuses' };
/** The page shows no more of each kind. */
const shown = 20;
/** The page repeats no longer text: no name has more characters. */
const shownText = maximumNameOctets;

/** Finds everything but domain names. */
async function findAll({ db }: DeskRegistry, text: string) {
  const [{ byCode, byIdentifier, byPhone, byName, isListed, ...found }, gone, requests, all] =
    await Promise.all([
      findContacts(db, text, shown + 1),
      text.length > maximumNameOctets ? [] : findGoneContacts(db, text, shown + 1),
      isUuid(text) ? findRequest(db, text) : [],
      listRegistrars(db),
    ]);
  const code = asciiUpperCase(text);
  const owners = all.filter((owner) => owner.code === code || hasWords(owner.name, text));
  const former = [...new Map([...gone, ...found.former].map((one) => [one.uuid, one])).values()];
  const present = [...byCode, ...byIdentifier, ...byPhone, ...byName];
  const people = [...new Map(present.map((each) => [each.code, each])).values()];
  const list = ['contact', 'list', text.includes('@') ? '--email' : '--ident', text];
  const pages = requests.slice(0, 1).map(({ id }) => `${pageHref('request', text)}?near=${id}`);
  const isOther = pages.length + owners.length > 0;
  const [identified] = text.includes('@') || isOther ? [] : byIdentifier;
  const ofPerson = identified ? await listContactsOfSamePerson(db, identified.uuid) : [];
  const isPerson = people.every((one) => ofPerson.some(({ uuid }) => uuid === one.uuid));
  return {
    ...{ pages, owners: owners.map((owner) => owner.code), people, former },
    /** Whoever else has a name like it was not meant. */
    isExact: byCode.length + byIdentifier.length + byPhone.length + pages.length > 0 || isListed,
    person: identified && isPerson ? pageHref('person', identified.uuid) : undefined,
    commands: [
      ...(byName.length > 0 ? [['contact', 'list', '--name', text]] : []),
      ...(byIdentifier.length > 0 ? [list] : []),
      ...(isListed ? [[...list, '--deleted']] : []),
    ],
  };
}

export const findPage: ShowPage = async ({ registry, query }) => {
  const { db, env } = registry;
  const text = typed(query('q'));
  // Not the text, which may be of a person whom the registry does not know or has erased.
  const shows: DeskLook[] = [{ subject: 'search', key: '' }];
  if (text === '') return { shows, redirect: '/' };
  const [, disclosure] = /^disclosure #?(\d{1,15})$/i.exec(text) ?? [];
  if (disclosure) return { shows, redirect: pageHref('disclosure', disclosure) };
  const { name, refusal } = await nameWithin(db, text);
  if (name) return { shows, redirect: pageHref('name', name) };
  const found = await findAll(registry, text);
  const { pages, owners, people, former, isExact, person, commands } = found;
  if (person) return { shows, redirect: person };
  const all = [
    ...pages,
    ...owners.map((code) => pageHref('registrar', code)),
    ...people.map(({ code }) => pageHref('contact', code)),
    ...former.map(({ uuid }) => pageHref('contact', uuid)),
  ];
  const near =
    all.length === 1 && !isExact ? await findNearOthers(db, text, [...people, ...former]) : none;
  const isOnly = near.present.length + near.former.length === 0;
  // Somebody else may have the contact by now.
  const isChanged = former.some(({ ended }) => ended !== 'deleted');
  if (all.length === 1 && isOnly && !isChanged) return { shows, redirect: all[0]! };
  if (all.length === 0) {
    const [names, persons, registrars] = await Promise.all([
      // A dot may be heard as a blank.
      /[@:]/.test(text) || isUuid(text)
        ? []
        : findNearNames(db, text.replaceAll(' ', '.'), nameRulesOf(env)),
      findNearPersons(db, text, shown),
      findNearRegistrars(db, text),
    ]);
    const listed = [...persons.present, ...persons.former];
    return {
      shows: [...shows, ...looksAt(listed)],
      kept: await keptOf(db, listed),
      ...pageOfNear(text, { names, registrars, persons, refusal }),
    };
  }
  const isCut = [owners, people, former].some(({ length }) => length > shown);
  const listed = [
    ...[...people.slice(0, shown), ...former.slice(0, shown)],
    ...[...near.present, ...near.former],
  ];
  return {
    shows: [...shows, ...looksAt(listed)],
    title: ['Found for ', { text }],
    kept: await keptOf(db, listed),
    next: commands,
    children: (
      <>
        {isCut && <p class="lead">The first {shown} of each kind. Add words to find fewer.</p>}
        <Links hrefs={pages} />
        <Registrars codes={owners.slice(0, shown)} />
        <Found present={people.slice(0, shown)} former={former.slice(0, shown)} />
        {!isOnly && (
          <Part title="Near it">
            <Found {...near} where="near it" />
          </Part>
        )}
      </>
    ),
  };
};

/** What the list itself does not say. */
async function keptOf(
  db: Database,
  listed: readonly { code: string; uuid: string }[],
): Promise<Sentence[]> {
  const asked = await findAskedFor(
    db,
    listed.map(({ uuid }) => uuid),
  );
  const things = [...new Map(listed.map((one) => [one.uuid, one])).values()]
    .filter(({ uuid }) => asked.has(uuid))
    .map(({ code: key, uuid }) => ({ kind: 'contact', key, uuid }) as const);
  if (things.length === 0) return [];
  const who = joinThings(things);
  return [
    sentence`Do not tell the caller: somebody has asked for data with the identity of ${who}. The page of the contact says what may be told.`,
  ];
}

/** Those with one of the words in their name or as their code. */
async function findNearRegistrars(db: Database, text: string) {
  const words = wordsOf(text).filter((word) => word.length > 2);
  const all = await listRegistrars(db);
  const near = all.filter(({ code, name }) => {
    const own = [code, ...wordsOf(name)];
    return words.some((word) => own.some((each) => each.startsWith(word)));
  });
  return near.map(({ code }) => code).slice(0, shown);
}

const none: FoundContacts = { present: [], former: [] };

/** Of persons whose names are spelt a little otherwise. */
async function findNearOthers(
  db: Database,
  text: string,
  found: readonly { uuid: string }[],
): Promise<FoundContacts> {
  const { present, former } = await findNearPersons(db, text, shown);
  const isOther = ({ uuid }: { uuid: string }) => found.every((one) => one.uuid !== uuid);
  return { present: present.filter(isOther), former: former.filter(isOther) };
}

function Registrars({ codes }: { codes: readonly string[] }) {
  const all = codes.map((key): Sentence => [{ kind: 'registrar', key }]);
  return all.length > 0 ? <Sentences all={all} /> : null;
}

interface Near {
  names: readonly string[];
  registrars?: readonly string[];
  persons?: FoundContacts;
  refusal?: string | undefined;
}

function pageOfNear(
  text: string,
  { names, registrars = [], persons, refusal }: Near,
): Omit<DeskPage, 'shows'> {
  const { present = [], former = [] } = persons ?? {};
  const isNear = names.length + registrars.length + present.length + former.length > 0;
  const isLong = text.length > shownText;
  const start = isLong ? `${text.slice(0, shownText)}…` : text;
  const help =
    'Enter words of a name, or a full code (HRB 148217, not 148217), address, telephone number, domain name or request id.';
  const isPhone = /^[+\d\s().-]+$/.test(text);
  const why = isLong || isPhone || !refusal ? help : `${refusal}.`;
  return {
    title: isNear ? ['Near ', { text: start }] : 'Nothing found',
    // The desk has looked for recent requests only.
    next: isUuid(text) ? [['history', '--request', text]] : [],
    children: (
      <>
        {(why !== help || !isNear) && <p class="lead">{why}</p>}
        {isNear && (
          <p class="lead">
            Nothing was found for <bdi>{start}</bdi> as it is written. These are near it:
          </p>
        )}
        <Links hrefs={names.map((name) => pageHref('name', name))} />
        <Registrars codes={registrars} />
        <Found present={present} former={former} />
        {!isUuid(text) && (
          <p>
            Former telephone numbers are not searched, nor former names of contacts that exist. An
            erased contact is found by its code or UUID alone.
          </p>
        )}
      </>
    ),
  };
}

function Found({ present, former, where = '' }: FoundContacts & { where?: string }) {
  const changed = former.filter(({ ended }) => ended !== 'deleted');
  return (
    <>
      {present.length > 0 && (
        <Rows
          view={foundView}
          rows={present}
          links={{ code: 'contact' }}
          label={`Contacts ${where}`.trim()}
        />
      )}
      {changed.length > 0 && <Sentences all={changed.map(formerSentence)} />}
      {former.length > 0 && (
        <Former rows={former} title={`Deleted or changed since${where && `, ${where}`}`} />
      )}
    </>
  );
}

/** The contact may be somebody else's now. */
const formerSentence = ({ code: key, uuid, deletedAt: instant }: ContactDeletion): Sentence =>
  sentence`Formerly of the contact ${{ kind: 'contact', key, uuid, named: 'now' }}, until ${{ instant }}: it shows whose data it has now.`;

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
