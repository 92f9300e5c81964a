import { html } from 'hono/html';
import type { BrowsedName } from '../../public-list/browse.ts';
import type { ListedStatus } from '../../public-list/lists.ts';
import type { Content } from './content.ts';
import type { Html, Surroundings } from './layout.ts';
import { renderPublished, renderSection } from './section.ts';
import { hrefOf } from './view.ts';

const section = 'retained';
const statuses: ListedStatus[] = ['reserved', 'blocked', 'disputed'];

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
<div class="field"><input id="starts" name="starts" value="${view.starts}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false"><button>${text.search}</button></div>
</form>`;
}

function renderNames(
  { language, text, view: { starts, after } }: Surroundings,
  { names, hasMore }: NonNullable<Content['retained']>,
): Html {
  const isBrowsed = starts !== '' || after !== '';
  if (names.length === 0) {
    const none = after !== '' ? text.noMore : isBrowsed ? text.noNames : text.noRetained;
    return html`<p class="missing">${none}</p>${after !== '' && html`<p><a href="${hrefOf(language, { starts }, section)}">${text.first}</a></p>`}`;
  }
  const next = hrefOf(language, { starts, after: names.at(-1)?.name ?? '' }, section);
  const which = starts ? text.startingWith(starts) : text.fromStart;
  return html`<table class="names">
<caption><bdi>${after ? `${starts ? `${which}, ` : ''}${text.afterName(after)}` : which}</bdi></caption>
<thead><tr><th scope="col">${text.name}</th><th scope="col">${text.status}</th><th scope="col" class="punycode">${text.punycode}</th></tr></thead>
<tbody>
${names.map(renderRow)}</tbody>
</table>
<nav class="pages" aria-label="${text.retainedPages}">
${after !== '' && html`<a href="${hrefOf(language, { starts }, section)}">${text.first}</a>`}
${hasMore && html`<a rel="next" href="${next}">${text.next}</a>`}
</nav>`;

  function renderRow({ name, punycode, statuses }: BrowsedName): Html {
    const words = statuses.map((status) => text.statuses[status]).join(', ');
    return html`<tr><th scope="row"><a href="${hrefOf(language, { name })}"><bdi>${name}</bdi></a></th><td>${words}</td><td class="punycode">${punycode}</td></tr>
`;
  }
}
