import { Marked, type Token } from 'marked';

/** The address of the service in the document, which the examples call. */
const local = 'http://localhost:8787';

const marked = new Marked({
  walkTokens: serveLinks,
  renderer: {
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/**
 * The page that says what the reference cannot: the document in Markdown, in the place that the template has for it. A link
 * to a file that the service does not serve becomes text.
 */
export function guidePage(template: string, markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  // The keyboard reaches what scrolls.
  const guide = html.replaceAll('<pre>', '<pre tabindex="0">');
  return template.replace('<!-- guide -->', () => guide);
}

function serveLinks(token: Token): void {
  if (token.type !== 'link') return;
  token.href = token.href.replace(local, '');
  // An address as text would be that of another service than the page's own.
  if (token.raw.startsWith('<')) token.text = token.href;
  if (!/^(#|\/|https:)/.test(token.href)) Object.assign(token, { type: 'text' });
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');
}
