import { publicLists, retainedList } from '../../../list/lists.ts';
import type { Content } from './content.ts';
import type { Surroundings } from './layout.tsx';
import { Field, NameCell, published, Section } from './section.tsx';
import { hrefOf } from './view.ts';

const section = 'retained';
const { path, entries: statuses } = publicLists[retainedList];

export function RetainedSection(page: Surroundings & Pick<Content, 'retained' | 'facts'>) {
  const { text, retained, facts } = page;
  const counts = statuses.flatMap((status) => {
    const count = facts?.[status]?.count;
    if (count === undefined) return [];
    return (
      <span>
        <strong>{text.number(count)}</strong> {text.states[status]}
      </span>
    );
  });
  const beside = [
    text.retainedLead,
    counts.length > 0 && <span class="counts">{counts}</span>,
    published(text, facts?.[retainedList]?.publishedAt),
    <a href={`${path}.csv`}>{text.asCsv}</a>,
    <a href={path}>{text.asJson}</a>,
  ];
  return (
    <Section name={section} text={text} beside={beside}>
      <Search {...page} />
      {retained ? <Names {...page} {...retained} /> : <p class="missing">{text.notNow}</p>}
    </Section>
  );
}

function Search({ language, text, view: { starts } }: Surroundings) {
  return (
    <form class="find" action={hrefOf(language, {}, section)}>
      <label for="starts">{text.startsLabel}</label>
      <Field id="starts" name="starts" value={starts} button={text.search} />
    </form>
  );
}

function Names({
  language,
  text,
  view: { starts, after },
  names,
  hasMore,
}: Surroundings & NonNullable<Content['retained']>) {
  const first = <a href={hrefOf(language, { starts }, section)}>{text.first}</a>;
  const last = names.at(-1);
  if (!last) {
    return (
      <>
        <p class="missing">{starts || after ? text.noNames : text.noRetained}</p>
        {after && <p>{first}</p>}
      </>
    );
  }
  return (
    <>
      <table class="names">
        {starts && (
          <caption>
            <bdi>{text.startingWith(starts)}</bdi>
          </caption>
        )}
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            <th scope="col">{text.status}</th>
          </tr>
        </thead>
        <tbody>
          {names.map(({ name, punycode, statuses }) => (
            <tr>
              <NameCell language={language} name={name} punycode={punycode} />
              <td>{statuses.map((status) => text.states[status]).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(after || hasMore) && (
        <nav class="pages" aria-label={text.retainedPages}>
          {after && first}
          {hasMore && (
            <a rel="next" href={hrefOf(language, { starts, after: last.name }, section)}>
              {text.next}
            </a>
          )}
        </nav>
      )}
    </>
  );
}
