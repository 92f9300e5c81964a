import { html } from 'hono/html';
import { type Language, languages } from './language.ts';
import { type Texts, texts } from './texts.ts';
import { hrefOf, type View } from './view.ts';

export type Html = ReturnType<typeof html>;

/** What every part of a page depends on. */
export interface Surroundings {
  language: Language;
  text: Texts;
  /** Scheme and host under which the page is served. */
  origin: string;
  view: View;
}

/** The sections of the page, in its order; their names are the fragments of its address. */
export const sections = ['auctions', 'retained', 'year', 'developers'] as const;

interface Frame {
  title: string;
  main: Html;
  /** Whether the page can be found under its address in other languages as well. */
  isLinked: boolean;
}

/** A whole document. */
export function renderDocument(around: Surroundings, { title, main, isLinked }: Frame): Html {
  const { language, text, view } = around;
  const home = hrefOf(language, {});
  const sectionLinks = sections.map(
    (section) => html`<a href="${isLinked ? '' : home}#${section}">${text.short[section]}</a>\n`,
  );
  const languageLinks = languages
    .filter((other) => other !== language)
    .map((other) => {
      const { languageName } = texts[other];
      return html`<a href="${hrefOf(other, view)}" lang="${other}" hreflang="${other}">${languageName}</a>`;
    });
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${text.description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/site.css">
<link rel="stylesheet" href="/assets/page.css">
<script src="/assets/page.js" defer></script>
${isLinked ? linksToSelf(around) : html`<meta name="robots" content="noindex">`}
</head>
<body>
<a class="skip" href="#main">${text.skip}</a>
<header class="top">
<a class="brand" href="${home}">${text.siteName}</a>
<nav class="sections" aria-label="${text.sections}">
${sectionLinks}</nav>
<nav class="languages" aria-label="${text.languages}">
<a href="/docs/">${text.reference}</a>
${languageLinks}
</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer class="bottom">
<p>${text.siteName}</p>
<p>${text.footer}</p>
</footer>
</body>
</html>
`;
}

function linksToSelf({ language, origin, view }: Surroundings): Html {
  const canonical = hrefOf(language, view);
  return html`<link rel="canonical" href="${origin}${canonical}">
${languages.map(
  (other) => html`<link rel="alternate" hreflang="${other}" href="${origin}${hrefOf(other, view)}">
`,
)}<link rel="alternate" hreflang="x-default" href="${origin}/${canonical.slice(hrefOf(language, {}).length)}">`;
}
