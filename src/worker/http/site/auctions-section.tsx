import { auctionList } from '../../../list/lists.ts';
import type { BrowsedName } from '../../../list/read/browse.ts';
import type { Content } from './content.ts';
import { Field } from './field.tsx';
import type { Surroundings } from './layout.tsx';
import { NameCell, PunycodeCell, published, Section } from './section.tsx';
import { lengthOf, selectAuctions } from './select-auctions.ts';
import { hrefOf, type Sort } from './view.ts';

const section = 'auctions';

export function AuctionsSection(page: Surroundings & Pick<Content, 'auctions' | 'facts'>) {
  const { text, auctions, facts } = page;
  const beside = [
    auctions && <strong>{text.auctionCount(auctions.length)}</strong>,
    published(text, facts?.[auctionList]?.publishedAt),
  ];
  return (
    <Section name={section} text={text} beside={beside}>
      {auctions && <Auctions {...page} all={auctions} />}
    </Section>
  );
}

function Auctions({ all, ...around }: Surroundings & { all: readonly BrowsedName[] }) {
  const { language, text, view } = around;
  if (all.length === 0) return <p class="missing">{text.noAuctions}</p>;
  const { shown, count, page, pages } = selectAuctions(all, view, language);
  const isFiltered = view.auctions !== '';
  // If the table has all auctions, a script filters it while one types.
  const live = pages === 1 &&
    !isFiltered && {
      'data-rows': 'auction-rows',
      'data-matching': text.matching('{count}', '{all}'),
    };
  return (
    <>
      <form class="find" action={hrefOf(language, {}, section)}>
        <label for="filter">{text.filterLabel}</label>
        <Field id="filter" name="auctions" value={view.auctions} button={text.filter} {...live} />
        {view.sort !== 'name' && <input type="hidden" name="sort" value={view.sort} />}
      </form>
      <p class="matching" id="matching" aria-live="polite">
        {isFiltered && (
          <>
            {text.matching(text.number(count), text.number(all.length))} ·{' '}
            <a href={hrefOf(language, { sort: view.sort }, section)}>{text.all}</a>
          </>
        )}
      </p>
      {shown.length === 0 ? (
        <p class="missing">{text.noMatch}</p>
      ) : (
        <table class="names">
          <thead>
            <tr>
              <SortedHeading {...around} by="name" />
              <th scope="col" class="punycode">
                {text.punycode}
              </th>
              <SortedHeading {...around} by="length" />
            </tr>
          </thead>
          <tbody id="auction-rows">
            {shown.map((auction) => (
              <tr>
                <NameCell language={language} name={auction.name} />
                <PunycodeCell {...auction} />
                <td class="length">{lengthOf(auction)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {pages > 1 && <Pager {...around} page={page} pages={pages} />}
    </>
  );
}

/** Links to the order by this column, or to its reverse. */
function SortedHeading({ language, text, view, by }: Surroundings & { by: 'name' | 'length' }) {
  const isAscending = view.sort === by;
  const isCurrent = isAscending || view.sort === `-${by}`;
  const sort: Sort = isAscending ? `-${by}` : by;
  const order = isAscending ? 'ascending' : 'descending';
  return (
    <th scope="col" class={by} aria-sort={isCurrent ? order : undefined}>
      <a href={hrefOf(language, { auctions: view.auctions, sort }, section)}>
        {text[by]}
        {isCurrent && (
          <span class="arrow" aria-hidden="true">
            {isAscending ? '↑' : '↓'}
          </span>
        )}
      </a>
    </th>
  );
}

function Pager({
  language,
  text,
  view: { auctions, sort },
  page,
  pages,
}: Surroundings & { page: number; pages: number }) {
  const hrefOfPage = (page: number) => hrefOf(language, { auctions, sort, page }, section);
  return (
    <nav class="pages" aria-label={text.auctionPages}>
      {page > 1 && (
        <a rel="prev" href={hrefOfPage(page - 1)}>
          {text.previous}
        </a>
      )}
      <span>{text.pageOf(page, pages)}</span>
      {page < pages && (
        <a rel="next" href={hrefOfPage(page + 1)}>
          {text.next}
        </a>
      )}
    </nav>
  );
}
