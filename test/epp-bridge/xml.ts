/** As much of XML as EPP needs. A server in earnest has a library for it, and checks documents by the schemas of the RFCs. */

/** An element without its prefix: EPP knows the object of a command by its namespace. */
export interface Element {
  name: string;
  namespace: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

const token =
  /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^<>"'])*?)(\/?)>|[^<]+/gsy;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Throws a SyntaxError unless the document is well-formed, and if it has a document type, which is how entities attack. */
export function readXml(document: string): Element {
  const root: Element = { name: '', namespace: '', attributes: {}, children: [], text: '' };
  const open = [{ element: root, prefixes: new Map([['', '']]), tag: '' }];
  let end = 0;
  for (const match of document.trim().matchAll(token)) {
    const [all, data, closing, tag, inside = '', empty] = match;
    const { element: parent, prefixes, tag: opened } = open.at(-1)!;
    end = match.index + all.length;
    if (closing) {
      if (tag !== opened) throw new SyntaxError(`</${tag}> closes <${opened}>`);
      open.pop();
    } else if (tag) {
      const found = [...inside.matchAll(attribute)];
      const attributes = Object.fromEntries(
        found.map(([, name, one, two]) => [name!, decode(one ?? two ?? '')]),
      );
      const own = new Map(prefixes);
      for (const [name, value] of Object.entries(attributes)) {
        const [, prefix] = /^xmlns:?(.*)$/.exec(name) ?? [];
        if (prefix !== undefined) own.set(prefix, value);
      }
      const [name, prefix = ''] = tag.split(':').reverse();
      const namespace = own.get(prefix);
      if (namespace === undefined) throw new SyntaxError(`${prefix} has no namespace`);
      const element = { name: name!, namespace, attributes, children: [], text: '' };
      parent.children.push(element);
      if (!empty) open.push({ element, prefixes: own, tag });
    } else if (!all.startsWith('<!--') && !all.startsWith('<?')) {
      parent.text += data ?? decode(all);
    }
  }
  const [element, ...others] = root.children;
  if (
    end !== document.trim().length ||
    open.length !== 1 ||
    !element ||
    others.length > 0 ||
    root.text.trim()
  ) {
    throw new SyntaxError(`the XML is not well-formed at character ${end}`);
  }
  return element;
}

const decode = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));|&/gi, (_, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    const character = name ? entities[name] : code <= 0x10ffff && String.fromCodePoint(code);
    if (!character) throw new SyntaxError('an entity is not known');
    return character;
  });

/** Every element of this name below, at any depth. */
export const findAll = (element: Element | undefined, name: string): Element[] =>
  (element?.children ?? []).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...findAll(child, name),
  ]);

/** The text of the first element of this name below; undefined if there is none. */
export const textOf = (element: Element | undefined, name: string): string | undefined =>
  findAll(element, name)[0]?.text.trim();

/** Written XML, so that nothing but text is escaped. */
export class Written {
  readonly xml: string;
  constructor(xml: string) {
    this.xml = xml;
  }
}

type Content = string | number | Written | false | null | undefined | readonly Content[];

const written = (content: Content): string => {
  if (content instanceof Written) return content.xml;
  if (Array.isArray(content)) return content.map(written).join('');
  if (content === undefined || content === null || content === false) return '';
  return String(content).replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
};

/** A template: what is inserted is escaped, and nothing where it is undefined, null or false. */
export const xml = (strings: TemplateStringsArray, ...contents: Content[]): Written =>
  new Written(String.raw({ raw: strings }, ...contents.map(written)).replaceAll(/>\s+</g, '><'));
