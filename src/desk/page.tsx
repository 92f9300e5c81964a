import { html } from 'hono/html';
import { type Child, createContext, isValidElement, useContext } from 'hono/jsx';
import { labelOf, plainText, type Sentence, type Thing } from '../base/text/sentence.ts';
import type { Operation } from '../change/origin.ts';
import { fieldsOf, type Shown } from '../view/columns.ts';
import type { Watched } from '../view/health.ts';
import { thingFields } from '../view/history-sentences.ts';
import { type Naming, namingIn } from '../view/sentence.ts';
import { printable, visible, withoutHidden } from '../view/text.ts';
import { fieldWords, isNothing, openingText, termText, valueText } from '../view/words.ts';
import type { DeskLook } from './guard.ts';

export interface DeskPage {
  /** The looks that showing it makes. Recorded in the deployment, before it is shown. */
  shows: readonly DeskLook[];
  title: string | Sentence;
  answer?: readonly Sentence[];
  tone?: 'alarm' | 'warning';
  /** What must not be told to the person on the telephone. */
  kept?: readonly Sentence[];
  facts?: readonly (readonly [field: string, value: unknown])[];
  children: Child;
  /** Commands to type next, where they can be typed. They must work. */
  next: readonly (readonly string[])[];
}

export type DeskRegistry = Operation & Watched;

/** Where the pages are shown. */
export interface DeskPlace {
  /** Which registry it is, in a few words. */
  title: string;
  /** Called for each page. */
  open(opened: AsyncDisposableStack): Promise<DeskRegistry>;
  /** Called before each page is shown. Undefined where looks are not recorded. */
  record: ((registry: DeskRegistry, looks: readonly DeskLook[]) => Promise<void>) | undefined;
  /** Called with each unexpected failure of a page. */
  log?(error: unknown): void;
  /** A command as it is typed, with the words that choose this registry. Undefined where nobody can type one. */
  commandLine: ((words: readonly string[]) => string) | undefined;
}

export interface Asked {
  registry: DeskRegistry;
  place: DeskPlace;
  key: string;
  query: (name: string) => string;
}

/** The number of rows is bounded. Throws `not_found`. */
export type ShowPage = (
  asked: Asked,
) => Promise<DeskPage | { shows: DeskPage['shows']; redirect: string }>;

export const pageHref = (kind: Thing['kind'] | 'person' | 'looks', key: string | number) =>
  `/${kind}/${encodeURIComponent(key)}`;

/** Escapes the `?` that an address may have. */
export const mailHref = (email: string) =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;

export const looksAt = (contacts: readonly { uuid: string }[]): DeskLook[] =>
  contacts.map(({ uuid: key }) => ({ subject: 'contact', key }));

export const isUuid = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

const PageNaming = createContext<Naming>(async () => undefined);

function Ref({ thing }: { thing: Thing }) {
  const found = useContext(PageNaming)(thing);
  const name = found.then((one) => (one ? printable(one.name) : ''));
  const { kind, key, uuid, named } = thing;
  const href = pageHref(kind, uuid ?? key);
  const label = <bdi class={kind}>{labelOf(thing)}</bdi>;
  if (named) {
    const [before, after] = [' (now ', ')'].map((text) => found.then((one) => one && text));
    return (
      <a href={href}>
        {label}
        {before}
        <bdi>{name}</bdi>
        {after}
      </a>
    );
  }
  const state = found.then((one) => (one?.state ? ` (${one.state})` : ''));
  return (
    <>
      <a href={href}>
        <b>
          <bdi>{name}</bdi>
        </b>{' '}
        {label}
      </a>
      {state}
    </>
  );
}

export const sentenceNodes = (parts: Sentence): Child[] =>
  parts.map((part, index) => {
    if (typeof part === 'string') return printable(part);
    if ('kind' in part) return <Ref thing={part} />;
    return <bdi>{printable(index === 0 ? openingText(part) : termText(part))}</bdi>;
  });

const headingText = (parts: Sentence) =>
  parts
    .map((part) =>
      typeof part === 'object' && !('kind' in part) ? termText(part) : plainText([part]),
    )
    .join('');

export function Sentences({ all, class: kind = '' }: { all: readonly Sentence[]; class?: string }) {
  const items = all.map((parts) => <li>{sentenceNodes(parts)}</li>);
  return <ul class={`sentences ${kind}`}>{items}</ul>;
}

function valueNode(field: string, value: unknown, kind?: Thing['kind']): Child {
  if (isNothing(value)) return null;
  if (kind) {
    const refs = [value].flat().map((key) => <Ref thing={{ kind, key: String(key) }} />);
    return <span>{refs.flatMap((ref, index) => (index === 0 ? [ref] : [', ', ref]))}</span>;
  }
  return isValidElement(value) ? value : <bdi>{printable(valueText(value, field))}</bdi>;
}

/** A table of the columns with values, without `name` beside a code. On a narrow screen, each row becomes a card. */
export function Rows<Row>(props: {
  view: Shown<Row>;
  rows: readonly Row[];
  links?: Record<string, Thing['kind']>;
  /** Of several tables of one kind, what distinguishes this one. */
  label?: string;
}) {
  const { view, rows, links = {}, label = fieldWords(view.name) } = props;
  if (rows.length === 0) return <p>No {label}.</p>;
  const values = rows.map((row) => Object.fromEntries(fieldsOf(view.columns, row, true)));
  const columns = view.table.split(' ').filter((name) => {
    return !(name === 'name' && links.code) && values.some((row) => !isNothing(row[name]));
  });
  const head = columns.map((name) => <th scope="col">{fieldWords(name)}</th>);
  const body = values.map((row) => {
    const cells = columns.map(
      (name) => [name, valueNode(name, row[name], links[name] ?? thingFields[name])] as const,
    );
    return (
      <tr>
        {cells.map(([name, cell]) => (
          <td data-label={fieldWords(name)}>{cell}</td>
        ))}
      </tr>
    );
  });
  return (
    <div class="wide" role="region" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{body}</tbody>
      </table>
    </div>
  );
}

export function factsIn<Row>(
  view: Shown<Row>,
  row: Row,
  names: string,
): NonNullable<DeskPage['facts']> {
  const values = Object.fromEntries(fieldsOf(view.columns, row, true));
  return names.split(' ').map((name) => [name, values[name]]);
}

function Facts({ rows }: { rows: NonNullable<DeskPage['facts']> }) {
  const facts = rows.filter(([, value]) => !isNothing(value));
  const items = facts.map(([field, value]) => (
    <div>
      <dt>{fieldWords(field)}</dt>
      <dd>{valueNode(field, value)}</dd>
    </div>
  ));
  return items.length > 0 ? <dl class="facts">{items}</dl> : null;
}

export const Part = ({ title, children }: { title: string; children: Child }) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
);

/** What staff can ask the operator for, by the command's first words. Commands that only show are left out. */
const requests: Record<string, string> = {
  'auction start': 'to put the name up for auction again',
  'contact erase': 'to erase the contact, if the person demands it',
  'contact update': 'to correct the contact',
  'disclosure grant': 'to grant the request',
  'disclosure refuse': 'to refuse the request',
  'disclosure return': 'to return the request to whoever asked',
  'dispute show': 'to change or close the dispute',
  'domain update': 'to correct the record of the domain',
  'history revert': 'to take back the request',
  'registrar diagnose': 'why a login of the registrar fails',
  'registrar resume': 'to end the suspension',
  'registrar suspend': 'to suspend the registrar',
  'retained show': 'to change or remove what keeps the name',
};

function Next({ place: { commandLine }, next }: { place: DeskPlace; next: DeskPage['next'] }) {
  const asked = next.flatMap((words) => requests[words.slice(0, 2).join(' ')] ?? []);
  const items = commandLine
    ? next.map((words) => <code>{commandLine(words)}</code>)
    : [...new Set(asked)];
  return items.length === 0 ? null : (
    <Part title={commandLine ? 'Commands' : 'You can ask the operator'}>
      <ul class={commandLine ? 'commands' : ''}>
        {items.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    </Part>
  );
}

export async function renderPage(
  { title, answer = [], tone, kept = [], facts = [], children, next }: Omit<DeskPage, 'shows'>,
  { query, place, registry }: Omit<Asked, 'registry' | 'key'> & Partial<Asked>,
) {
  const heading = [title].flat();
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${headingText(heading)} · Desk`}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/site.css" />
        <link rel="stylesheet" href="/page.css" />
        <link rel="stylesheet" href="/desk.css" />
        <script src="/copy.js" defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            Desk
          </a>
          <span class="quiet">{place.title}</span>
          <form action="/find" role="search">
            <label for="q">Name, person, code, e-mail, telephone, registrar or request</label>
            <div class="field">
              <input id="q" name="q" type="search" value={withoutHidden(query('q'))} />
              <button type="submit">Find</button>
            </div>
          </form>
        </header>
        <main id="main" tabindex={-1}>
          <h1>{sentenceNodes(heading)}</h1>
          {answer.length > 0 && <Sentences all={answer} class={`answer ${tone ?? ''}`} />}
          {kept.length > 0 && <Sentences all={kept} class="kept answer warning" />}
          <Facts rows={facts} />
          {children}
          <Next place={place} next={next} />
        </main>
      </body>
    </html>
  );
  const naming = registry ? namingIn(registry.db) : async () => undefined;
  const page =
    await html`<!doctype html>${<PageNaming.Provider value={naming}>{document}</PageNaming.Provider>}`;
  return visible(String(page));
}
