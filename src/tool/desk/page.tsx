import type { Child } from 'hono/jsx';
import { type CommonOptions, commandLine, registryOptions } from '../command.ts';
import type { Registry } from '../registry.ts';
import { fieldText } from '../report/text.ts';
import { fieldsOf, type Shown, type ViewColumns } from '../view.ts';

/** What a page says. `next` has the commands that one would type next, as words. */
export interface DeskPage {
  title: string;
  children: Child;
  next: readonly (readonly string[])[];
}

/** What a page is asked for: its key from the path, and parameters, empty if missing. */
export interface Asked {
  registry: Registry;
  options: CommonOptions;
  key: string;
  query: (name: string) => string;
}

/** Makes a page of a bounded number of rows. Throws `not_found`. */
export type ShowPage = (asked: Asked) => Promise<DeskPage | { redirect: string }>;

export type PageKind = 'name' | 'contact' | 'registrar' | 'request' | 'disclosure';

export const pageHref = (subject: PageKind, key: string | number) =>
  `/${subject}/${encodeURIComponent(key)}`;

type Links = Record<string, PageKind>;

const words = (name: string) => name.replaceAll('_', ' ');

function Cell({ value, kind }: { value: unknown; kind: PageKind | undefined }) {
  if (kind === undefined || value === null) return <>{fieldText(value)}</>;
  const keys = [value].flat() as string[];
  return <>{keys.map((key) => [<a href={pageHref(kind, key)}>{key}</a>, ' '])}</>;
}

export function Table(props: { label: string; columns: string[]; rows: Child[][] }) {
  return (
    <div class="wide" role="region" aria-label={props.label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {props.columns.map((name) => (
              <th scope="col">{words(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Rows<Row>(props: {
  view: Shown<Row>;
  rows: readonly Row[];
  name?: string;
  links?: Links;
}) {
  const { view, rows, name = view.name, links = {} } = props;
  if (rows.length === 0) return <p class="missing">No {words(name)}.</p>;
  const columns = view.table.split(' ');
  const cells = rows.map((row) => {
    const values = Object.fromEntries(fieldsOf(view.columns, row, true));
    return columns.map((column) => <Cell value={values[column]} kind={links[column]} />);
  });
  return <Table label={words(name)} columns={columns} rows={cells} />;
}

export function Fields<Row>(props: { columns: ViewColumns<Row>; row: Row; links?: Links }) {
  const rows = fieldsOf(props.columns, props.row, true).map(([name, value]) => [
    words(name),
    <Cell value={value} kind={props.links?.[name]} />,
  ]);
  return <Table label="Fields" columns={['field', 'value']} rows={rows} />;
}

export function Part({ title, children }: { title: string; children: Child }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A command to copy, for the registry that the desk shows. */
export function CommandLine({
  words,
  options,
}: {
  words: readonly string[];
  options: CommonOptions;
}) {
  return <code class="command">{commandLine([...words, ...registryOptions(options)])}</code>;
}

export function renderPage(page: DeskPage, { query, options }: Pick<Asked, 'query' | 'options'>) {
  const { title, children, next } = page;
  const { remote, env = 'production' } = options;
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Desk`}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/site.css" />
        <link rel="stylesheet" href="/page.css" />
        <link rel="stylesheet" href="/desk.css" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            Desk
          </a>
          <span class="quiet">{remote ? `deployed registry, ${env}` : 'local registry'}</span>
          <form action="/find" role="search">
            <label for="q">Name, contact, identity code, e-mail, person, registrar, request</label>
            <div class="field">
              <input id="q" name="q" type="search" value={query('q')} />
              <button type="submit">Find</button>
            </div>
          </form>
        </header>
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {children}
          {next.length > 0 && (
            <Part title="Next">
              <ul class="commands">
                {next.map((words) => (
                  <li>
                    <CommandLine words={words} options={options} />
                  </li>
                ))}
              </ul>
            </Part>
          )}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>\n${document}\n`;
}
