import { html } from 'hono/html';
import { publicLists, retainedList } from '../../public-list/lists.ts';
import type { BrowsedName } from '../../public-list/read/browse.ts';
import type { Content } from './content.ts';
import { renderField } from './field.ts';
import type { Html, Surroundings } from './layout.ts';
import { renderPublished, renderPunycode, renderSection } from './section.ts';
import { hrefOf } from './view.ts';

const section = 'retained';
const { entries: statuses } = publicLists[retainedList];

export function renderRetainedSection(
  around: Surroundings,
  { retained, facts }: Pick<Content, 'retained' | 'facts'>,
): Html {
  const { text } = around;
  const counts = statuses.flatMap((status) => {
    const count = facts?.[status]?.count;
    return count === undefined
      ? []
      : html`<span><strong>${text.number(count)}</strong> ${text.statuses[status]}</span> `;
  });
  return renderSection(
    section,
    text,
    [
      text.retainedLead,
      counts.length > 0 ? html`<span class="counts">${counts}</span>` : undefined,
      renderPublished(text, facts?.all?.publishedAt),
    ],
    html`${renderSearch(around)}
${retained ? renderNames(around, retained) : html`<p class="missing">${text.notNow}</p>`}`,
  );
}

function renderSearch({ language, text, view }: Surroundings): Html {
  const letter = (character: string) => {
    const isShown = character === view.starts;
    return html`<a href="${hrefOf(language, { starts: character }, section)}"${isShown && html` aria-current="true"`}>${character}</a>
`;
  };
  return html`<nav class="letters" aria-label="${text.letters}">
${[...text.alphabet].map(letter)}</nav>
<form class="find" action="${hrefOf(language, {}, section)}">
<label for="starts">${text.startsLabel}</label>
${renderField({ id: 'starts', name: 'starts', value: view.starts, button: text.search })}
</form>`;
}

function renderNames(
  { language, text, view: { starts, after } }: Surroundings,
  { names, hasMore }: NonNullable<Content['retained']>,
): Html {
  const first = html`<a href="${hrefOf(language, { starts }, section)}">${text.first}</a>`;
  if (names.length === 0) {
    const none = after ? text.noMore : starts ? text.noNames : text.noRetained;
    return html`<p class="missing">${none}</p>${after && html`<p>${first}</p>`}`;
  }
  const href = hrefOf(language, { starts, after: names.at(-1)?.name ?? '' }, section);
  const next = html`<a rel="next" href="${href}">${text.next}</a>`;
  const which = [starts && text.startingWith(starts), after && text.afterName(after)];
  const row = ({ name, punycode, statuses }: BrowsedName) => {
    const link = html`<a href="${hrefOf(language, { name })}"><bdi>${name}</bdi></a>`;
    const words = statuses.map((status) => text.statuses[status]).join(', ');
    const cells = html`<td>${words}</td>${renderPunycode({ name, punycode })}`;
    return html`<tr><th scope="row">${link}</th>${cells}</tr>\n`;
  };
  return html`<table class="names">
<caption><bdi>${which.filter(Boolean).join(', ') || text.fromStart}</bdi></caption>
<thead><tr><th scope="col">${text.name}</th><th scope="col">${text.status}</th><th scope="col" class="punycode">${text.punycode}</th></tr></thead>
<tbody>
${names.map(row)}</tbody>
</table>
${(after || hasMore) && html`<nav class="pages" aria-label="${text.retainedPages}">${after && first} ${hasMore && next}</nav>`}`;
}
