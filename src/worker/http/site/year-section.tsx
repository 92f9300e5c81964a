import { raw } from 'hono/utils/html';
import { onFirstUseOf } from '../../../base/on-first-use.ts';
import type { SingleList } from '../../../list/lists.ts';
import type { Content } from './content.ts';
import type { Surroundings } from './layout.tsx';
import { Section } from './section.tsx';
import type { Texts } from './texts.ts';

type Days = NonNullable<Content['days']>;

const charts = Object.keys({
  reserved: true,
  blocked: true,
  disputed: true,
  auctions: true,
} satisfies Record<SingleList, true>) as SingleList[];

/**
 * Rendered once, because the figures change once a day, and rendering them takes at least ten times as long as the rest
 * of the page. Shared by all requests, as the figures are, and forgotten with them.
 */
const figuresOf = onFirstUseOf((days: Days) =>
  onFirstUseOf((text: Texts) => raw(<Figures days={days} text={text} />)),
);

export function YearSection({ text, days }: Pick<Surroundings & Content, 'text' | 'days'>) {
  return (
    <Section name="year" text={text} beside={[text.yearLead]}>
      {days && figuresOf(days)(text)}
    </Section>
  );
}

function Figures({ days, text }: { days: Days; text: Texts }) {
  if (days.length === 0) return <p class="missing">{text.noYear}</p>;
  return (
    <>
      <div class="charts">
        {charts.map((list) => (
          <Chart list={list} days={days} text={text} />
        ))}
      </div>
      <details>
        <summary>{text.asTable}</summary>
        <div class="scroll" role="region" aria-label={text.asTable} tabindex={0}>
          <table class="figures">
            <thead>
              <tr>
                <th scope="col">{text.day}</th>
                {charts.map((list) => (
                  <th scope="col">{text.lists[list]}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, counts }) => (
                <tr>
                  <th scope="row">{day}</th>
                  {charts.map((list) => (
                    <td>{text.number(counts[list])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** In the chart's own units; a day is one unit wide. */
const height = 60;
const dayMilliseconds = 24 * 60 * 60 * 1000;

interface Point {
  day: string;
  count: number;
}

function Chart({ list, days, text }: { list: SingleList; days: Days; text: Texts }) {
  const points = days.map(({ day, counts }) => ({ day, count: counts[list] }));
  const counts = points.map(({ count }) => count);
  const [first, last] = [points[0]!, points.at(-1)!];
  const [lowest, highest] = [Math.min(...counts), Math.max(...counts)];
  const width = daysBetween(first.day, last.day) + 1;
  const [title, description] = [`${list}-title`, `${list}-description`];
  const name = text.lists[list];
  return (
    <figure>
      <figcaption>
        {name} <strong>{text.number(last.count)}</strong>
      </figcaption>
      <svg
        role="img"
        aria-labelledby={`${title} ${description}`}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
      >
        <title id={title}>
          {text.chartTitle(name, text.shortDate(first.day), text.shortDate(last.day))}
        </title>
        <desc id={description}>
          {text.chartDescription(
            text.number(first.count),
            text.number(last.count),
            text.number(lowest),
            text.number(highest),
          )}
        </desc>
        <path class="grid" d={`M0 0h${width}M0 ${height}h${width}`} />
        <path class="line" d={`${stepsOf(points, lowest, highest)}H${width}`} />
      </svg>
      <p class="scale" aria-hidden="true">
        <span>{text.number(highest)}</span>
        {highest !== lowest && <span>{text.number(lowest)}</span>}
      </p>
      <p class="span" aria-hidden="true">
        <span>{text.month(first.day)}</span>
        <span>{text.month(last.day)}</span>
      </p>
    </figure>
  );
}

/** A step for each change. A day that was not counted goes on as the one before it. */
function stepsOf(points: readonly Point[], lowest: number, highest: number): string {
  const range = highest - lowest;
  const steps = points.map(({ day, count }, index) => {
    if (count === points[index - 1]?.count) return '';
    const top = range === 0 ? height / 2 : ((highest - count) / range) * height;
    const start = index === 0 ? 'M0 ' : `H${daysBetween(points[0]!.day, day)}V`;
    return `${start}${Number(top.toFixed(2))}`;
  });
  return steps.join('');
}

function daysBetween(day: string, later: string): number {
  return (Date.parse(later) - Date.parse(day)) / dayMilliseconds;
}
