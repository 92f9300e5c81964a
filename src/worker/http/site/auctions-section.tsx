import { onFirstUseOf } from '../../../base/on-first-use.ts';
import { nameKey } from '../../../base/text/search-key.ts';
import { auctionList, feedPath, publicLists } from '../../../list/lists.ts';
import type { BrowsedName } from '../../../list/read/browse.ts';
import type { Language } from '../request/language.ts';
import type { Content } from './content.ts';
import type { Surroundings } from './layout.tsx';
import { Field, NameCell, published, Section } from './section.tsx';
import { hrefOf, type Sort, type View } from './view.ts';

const section = 'auctions';

export function AuctionsSection(page: Surroundings & Pick<Content, 'auctions' | 'facts'>) {
  const { text, auctions, facts } = page;
  const beside = [
    auctions && <strong>{text.auctionCount(auctions.length)}</strong>,
    published(text, facts?.[auctionList]?.publishedAt),
    <a href={`${publicLists[auctionList].path}.csv`}>{text.asCsv}</a>,
    <a href={feedPath}>{text.asFeed}</a>,
    <a href={publicLists[auctionList].path}>{text.asJson}</a>,
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
              <SortedHeading {...around} by="length" />
            </tr>
          </thead>
          <tbody id="auction-rows">
            {shown.map((auction) => (
              <tr>
                <NameCell language={language} {...auction} />
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

function Pager({ page, pages, ...around }: Surroundings & { page: number; pages: number }) {
  const { language, text, view } = around;
  const link = (rel: 'prev' | 'next', page: number, words: string) => (
    <a
      rel={rel}
      href={hrefOf(language, { auctions: view.auctions, sort: view.sort, page }, section)}
    >
      {words}
    </a>
  );
  return (
    <nav class="pages" aria-label={text.auctionPages}>
      {page > 1 && link('prev', page - 1, text.previous)}
      <span>{text.pageOf(page, pages)}</span>
      {page < pages && link('next', page + 1, text.next)}
    </nav>
  );
}

type Names = readonly BrowsedName[];

const pageAuctions = 50;

/** A page beyond the last one is the last one. */
function selectAuctions(all: Names, { auctions: part, sort, page }: View, language: Language) {
  const key = nameKey(part);
  const matching = inOrder(all, sort, language).filter(
    ({ name, punycode }) => nameKey(name).includes(key) || punycode.includes(part),
  );
  const pages = Math.max(1, Math.ceil(matching.length / pageAuctions));
  const shownPage = Math.min(page, pages);
  const shown = matching.slice((shownPage - 1) * pageAuctions, shownPage * pageAuctions);
  return { shown, count: matching.length, page: shownPage, pages };
}

/**
 * Kept because sorting thousands of names takes milliseconds. Shared by all requests, as the list is, and forgotten
 * with it.
 */
const ordersOf = onFirstUseOf((_: Names) => new Map<string, Names>());

function inOrder(all: Names, sort: Sort, language: Language): Names {
  const ofList = ordersOf(all);
  const key = `${language} ${sort}`;
  const sorted = ofList.get(key) ?? all.toSorted(comparison(sort, language));
  ofList.set(key, sorted);
  return sorted;
}

function comparison(sort: Sort, language: Language): (a: BrowsedName, b: BrowsedName) => number {
  const { compare } = new Intl.Collator(language);
  const direction = sort.startsWith('-') ? -1 : 1;
  if (!sort.endsWith('length')) return (a, b) => direction * compare(a.name, b.name);
  return (a, b) => direction * (lengthOf(a) - lengthOf(b)) || compare(a.name, b.name);
}

/** Characters, not code units, without the ending, which all names of a zone have. */
function lengthOf({ name }: BrowsedName): number {
  return [...name.slice(0, name.indexOf('.'))].length;
}
