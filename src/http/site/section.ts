import { html } from 'hono/html';
import type { BrowsedName } from '../../public-list/read/browse.ts';
import type { Html, sections } from './layout.ts';
import type { Texts } from './texts.ts';

/** A section of the page under its heading; `facts` stand beside it. */
export function renderSection(
  name: (typeof sections)[number],
  text: Texts,
  facts: readonly (Html | string | undefined)[],
  body: Html | undefined,
): Html {
  return html`<section id="${name}" aria-labelledby="${name}-heading">
<div class="about">
<h2 id="${name}-heading">${text[name]}</h2>
${facts.map(
  (fact) =>
    fact &&
    html`<p>${fact}</p>
`,
)}</div>
<div class="body">
${body ?? html`<p class="missing">${text.notNow}</p>`}
</div>
</section>
`;
}

/** When a list was published, for people and for programs. */
export function renderPublished(text: Texts, publishedAt: string | undefined): Html | undefined {
  if (!publishedAt) return undefined;
  const [day = '', time = ''] = publishedAt.split('T');
  return html`<time datetime="${publishedAt}">${text.published(text.instant(day, time.slice(0, 5)))}</time>`;
}

/** A cell with the punycode of a name. */
export function renderPunycode({ name, punycode }: Pick<BrowsedName, 'name' | 'punycode'>): Html {
  return html`<td class="punycode${name === punycode && ' same'}"><span>${punycode}</span></td>`;
}
