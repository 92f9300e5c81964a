import { html } from 'hono/html';
import { auctionList } from '../../public-list/lists.ts';
import type { BrowsedName } from '../../public-list/read/browse.ts';
import type { Content } from './content.ts';
import { renderField } from './field.ts';
import type { Html, Surroundings } from './layout.ts';
import { renderPublished, renderPunycode, renderSection } from './section.ts';
import { lengthOf, selectAuctions } from './select-auctions.ts';
import { hrefOf, type Sort } from './view.ts';

const section = 'auctions';

export function renderAuctionsSection(
  around: Surroundings,
  { auctions, facts }: Pick<Content, 'auctions' | 'facts'>,
): Html {
  const { text } = around;
  return renderSection(
    section,
    text,
    [
      auctions && html`<strong>${text.auctionCount(auctions.length)}</strong>`,
      renderPublished(text, facts?.[auctionList]?.publishedAt),
    ],
    auctions && renderBody(around, auctions),
  );
}

function renderBody(around: Surroundings, all: readonly BrowsedName[]): Html {
  const { language, text, view } = around;
  if (all.length === 0) return html`<p class="missing">${text.noAuctions}</p>`;
  const { shown, count, page, pages } = selectAuctions(all, view, language);
  const isFiltered = view.auctions !== '';
  // Where the table has all auctions, a script filters it as one types.
  const live = html` data-rows="auction-rows" data-matching="${text.matching('{count}', '{all}')}"`;
  const field = renderField({
    id: 'filter',
    name: 'auctions',
    value: view.auctions,
    button: text.filter,
    more: pages === 1 && !isFiltered && live,
  });
  const matching = isFiltered && text.matching(text.number(count), text.number(all.length));
  const whole = html` · <a href="${hrefOf(language, { sort: view.sort }, section)}">${text.all}</a>`;
  return html`<form class="find" action="${hrefOf(language, {}, section)}">
<label for="filter">${text.filterLabel}</label>
${field}
${view.sort !== 'name' && html`<input type="hidden" name="sort" value="${view.sort}">`}
</form>
<p class="matching" id="matching" aria-live="polite">${matching}${isFiltered && whole}</p>
${shown.length === 0 ? html`<p class="missing">${text.noMatch}</p>` : renderTable(around, shown)}
${pages > 1 && renderPages(around, page, pages)}`;
}

function renderTable({ language, text, view }: Surroundings, shown: readonly BrowsedName[]): Html {
  const heading = (key: 'name' | 'length', label: string) => {
    const current = view.sort === key ? 'ascending' : view.sort === `-${key}` ? 'descending' : '';
    const sort: Sort = current === 'ascending' ? `-${key}` : key;
    const href = hrefOf(language, { auctions: view.auctions, sort }, section);
    const order = html` aria-sort="${current}"`;
    const arrow = current === 'ascending' ? '↑' : '↓';
    const mark = html`<span class="arrow" aria-hidden="true">${arrow}</span>`;
    return html`<th scope="col" class="${key}"${current && order}><a href="${href}">${label}${current && mark}</a></th>`;
  };
  const row = (auction: BrowsedName) => {
    const link = html`<a href="${hrefOf(language, { name: auction.name })}"><bdi>${auction.name}</bdi></a>`;
    const length = html`<td class="length">${lengthOf(auction)}</td>`;
    return html`<tr><th scope="row">${link}</th>${renderPunycode(auction)}${length}</tr>\n`;
  };
  return html`<table class="names">
<thead><tr>${heading('name', text.name)}<th scope="col" class="punycode">${text.punycode}</th>${heading('length', text.length)}</tr></thead>
<tbody id="auction-rows">
${shown.map(row)}</tbody>
</table>`;
}

function renderPages({ language, text, view }: Surroundings, page: number, pages: number): Html {
  const { auctions, sort } = view;
  const link = (to: number, label: string, rel: string) =>
    to >= 1 &&
    to <= pages &&
    html`<a rel="${rel}" href="${hrefOf(language, { auctions, sort, page: to }, section)}">${label}</a>`;
  return html`<nav class="pages" aria-label="${text.auctionPages}">
${link(page - 1, text.previous, 'prev')} <span>${text.pageOf(page, pages)}</span> ${link(page + 1, text.next, 'next')}
</nav>`;
}
