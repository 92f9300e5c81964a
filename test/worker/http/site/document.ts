/** Looks into a page as a reader does, without building its tree: the pages are the service's own, and regular. */

/** The text of a piece of HTML, with single spaces. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/[ \n]+/g, ' ')
    .trim();
}

/** The section with the id. */
export function sectionOf(html: string, id: string): string {
  return new RegExp(`<section id="${id}".*?</section>`, 's').exec(html)?.[0] ?? '';
}

/** The texts of the cells in the body of the first table. */
export function rowsOf(html: string): string[][] {
  const [body = ''] = /<tbody.*?<\/tbody>/s.exec(html) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
}

/** Where the link with this text leads, if there is one. */
export function linkOf(html: string, text: string): string | undefined {
  const links = [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
  const [, href] = links.find(([, , inner = '']) => textOf(inner) === text) ?? [];
  return href?.replaceAll('&amp;', '&');
}

const attributes =
  'lang|charset|name|property|content|rel|href|hreflang|type|title|src|alt|width|height|defer|class|id|tabindex|role|action|for|value|required|max|maxlength|inputmode|autocomplete|autocapitalize|spellcheck|hidden|scope|rows|datetime|viewBox|preserveAspectRatio|d|aria-[a-z]+|data-[a-z]+';
const tag = new RegExp(`^</?[a-z][a-z0-9]*(?: (?:${attributes})(?:="[^"<>]*")?)*/?>`);

/**
 * The first problem of a document: a tag or an attribute that no page has, an inline script, or none of a
 * document's beginning and end.
 */
export function documentProblem(html: string): string | undefined {
  if (!html.startsWith('<!doctype html>\n<html lang="')) return 'no beginning';
  if (!html.endsWith('</html>\n')) return 'no end';
  if (/[\0\ud800-\udfff]/u.test(html)) return 'a NUL or half a character';
  const scripts = html.match(/<script[^>]*>[^<]*<\/script>/g) ?? [];
  if (scripts.join() !== '<script src="/assets/page.js" defer=""></script>')
    return 'another script';
  for (let at = html.indexOf('<', 1); at >= 0; at = html.indexOf('<', at + 1)) {
    if (!tag.test(html.slice(at, at + 5_000))) return `not a tag: ${html.slice(at, at + 80)}`;
  }
  return undefined;
}
