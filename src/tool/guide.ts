import path from 'node:path';
import { Marked, type Token } from 'marked';
import type { Env } from '../base/env.ts';
import { findLink, findPublicUrl, findSupport } from '../worker/settings.ts';

const local = 'http://localhost:8787';
/** In the guide, where PUBLIC_URL does not say another. */
const example = 'https://registry.example';

/** For the examples, on a registry of `npm start`. */
const localExports = `\`\`\`sh
export REGISTRY=${local} LOGIN=alpha:alpha-demo-secret KEY=epp-demo-key
\`\`\``;

interface Prose {
  title: string;
  address: string;
  markdown: string;
  /** Its links begin here, from the root of the source. */
  directory: string;
}

/** The guide says what the reference cannot. */
export const guide = (markdown: string): Prose => ({
  ...{ title: 'Guide', address: '/docs/guide', markdown, directory: 'src/worker/http' },
});

/** The part of each release for callers comes before the part for operators. */
export function changes(changelog: string): Prose {
  const releases = changelog
    .split(/^(?=## \[)/m)
    .slice(1)
    .map((release) => release.split(/^### Operators$/m)[0]!.replace(/\[(.*?)\]/, '$1'));
  const markdown = `# What changed

For callers, the newest release first. What may need a change of yours comes first in each list, as **Changed** or **Gone**.
A registry may run a release later than its date: \`version\` of [/health](${local}/health) is the one that runs here.

${releases.join('')}`;
  return { title: 'What changed', address: '/docs/changes', directory: '', markdown };
}

export function prosePage(
  template: string,
  prose: Prose,
  settings: Partial<Env>,
  localAccess?: string,
): string {
  const support = findSupport(settings.SUPPORT_URL)?.replace('mailto:', '');
  const markdown = prose.markdown
    .replace(`${example} `, () => `${findPublicUrl(settings.PUBLIC_URL) ?? example} `)
    .replace('<!-- support -->', () => (support ? ` (<${support}>)` : ''))
    .replace('<!-- local -->', () => (localAccess ? `${localAccess}\n\n${localExports}` : ''));
  const source = findLink(settings.SOURCE_URL)?.replace(/\/?$/, '/');
  const ids = new Map<string, number>();
  const marked = new Marked({
    walkTokens: (token) =>
      serveLinks(token, (file) => source && source + path.posix.join(prose.directory, file)),
    renderer: {
      heading({ depth, text, tokens }) {
        const anchor = anchorOf(text.replace(/ - .*/, ''));
        const count = ids.get(anchor) ?? 0;
        ids.set(anchor, count + 1);
        const id = count === 0 ? anchor : `${anchor}-${count}`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  // The keyboard reaches what scrolls.
  const html = marked.parse(markdown, { async: false }).replaceAll('<pre>', '<pre tabindex="0">');
  return template
    .replaceAll('{title}', prose.title)
    .replace(`href="${prose.address}"`, '$& aria-current="page"')
    .replace('<!-- prose -->', () => html);
}

/** A link to a file that nobody serves becomes text. */
function serveLinks(token: Token, addressOf: (file: string) => string | undefined): void {
  if (token.type !== 'link') return;
  token.href = token.href.replace(local, '');
  if (/^(#|\/|https:|mailto:)/.test(token.href)) return;
  const address = addressOf(token.href);
  Object.assign(token, address ? { href: address } : { type: 'text' });
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');
}
