import type { oas31 } from 'zod-openapi';
import { anchorOf } from './guide.ts';

type Document = oas31.OpenAPIObject;
type Items = Record<string, Record<string, oas31.OperationObject>>;

const overview = 'Overview';

/**
 * Makes a page to begin with, and for each interface a page with an index and its part of the document. One
 * page for all would take a slow computer seconds.
 */
export function referenceFiles(template: string, whole: Document): Map<string, string> {
  const pages = [overview, ...whole.tags!.map(({ name }) => name)].map((name) => {
    const slug = anchorOf(name);
    const isFirst = name === overview;
    return { name, slug, isFirst, address: isFirst ? '/docs/' : `/docs/${slug}` };
  });
  const files = new Map<string, string>();
  for (const { name, slug, isFirst } of pages) {
    const part = partOf(whole, name);
    const links = pages.map((other) =>
      other.name === name
        ? `<li><a href="${other.address}" aria-current="page">${name}</a>${callLinks(part)}</li>`
        : `<li><a href="${other.address}">${other.name}</a></li>`,
    );
    const page = template
      .replace('<!-- index -->', () => `<ul>\n${links.join('\n')}\n</ul>`)
      .replaceAll('{interface}', name)
      .replace('{document}', `${slug}.json`);
    files.set(isFirst ? 'index.html' : `${slug}.html`, page);
    const { description, ...info } = part.info;
    const begun = { ...info, description: `${description}\n\n${interfaceList(whole)}` };
    files.set(`${slug}.json`, JSON.stringify({ ...part, info: isFirst ? begun : info }));
  }
  return files;
}

const interfaceList = ({ tags }: Document) =>
  tags!
    .map(({ name, description }) => {
      const [about] = description!.split('\n');
      return `- [${name}](/docs/${anchorOf(name)}): ${about}`;
    })
    .join('\n');

function callLinks({ paths, webhooks, tags }: Document): string {
  const items = [paths, webhooks].flatMap((each) => Object.values((each ?? {}) as Items));
  const calls = items.flatMap((item) => Object.values(item));
  const links = calls.map(
    ({ operationId, summary }) =>
      `<li><a href="#/${encodeURIComponent(tags![0]!.name)}/${operationId}">${summary}</a></li>`,
  );
  return calls.length === 0 ? '' : `<ul>\n${links.join('\n')}\n</ul>`;
}

/** All calls of a path belong to one interface. Browsers send OPTIONS by themselves. */
function partOf(whole: Document, tag: string): Document {
  const all = whole.components as Record<string, Record<string, unknown>>;
  const components: typeof all = { securitySchemes: all.securitySchemes! };
  const addReferred = (node: unknown) => {
    JSON.stringify(node, (key, value) => {
      const [, , kind, name] = key === '$ref' ? String(value).split('/') : [];
      if (kind && name && !components[kind]?.[name]) {
        components[kind] = { ...components[kind], [name]: all[kind]![name] };
        addReferred(all[kind]![name]);
      }
      return value;
    });
  };
  const [paths, webhooks] = [whole.paths, whole.webhooks].map((items) =>
    Object.fromEntries(
      Object.entries(items as Items)
        .filter(([, item]) => Object.values(item)[0]!.tags![0] === tag)
        .map(([path, { options: _, ...item }]) => [path, item]),
    ),
  );
  addReferred([paths, webhooks]);
  const tags = whole.tags!.filter(({ name }) => name === tag);
  return { ...whole, tags, paths, webhooks, components } as Document;
}
