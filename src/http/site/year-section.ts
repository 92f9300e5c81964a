import { html } from 'hono/html';
import type { Content } from './content.ts';
import type { Language } from './language.ts';
import type { Html, Surroundings } from './layout.ts';
import { renderSection } from './section.ts';
import type { Texts } from './texts.ts';

const section = 'year';
type Days = NonNullable<Content['days']>;
type Series = keyof Texts['series'];
const allSeries: Series[] = ['reserved', 'blocked', 'disputed', 'auctions'];

/**
 * The rendered figures of a year, by language: they change once a day, and rendering them takes at least ten times as
 * long as the rest of the page. Shared by all requests, as the figures are, and forgotten with them.
 */
const rendered = new WeakMap<Days, Map<Language, Html>>();

/** A chart of each series, and the same figures in a table. */
export function renderYearSection(
  { language, text }: Pick<Surroundings, 'language' | 'text'>,
  { days }: Pick<Content, 'days'>,
): Html {
  if (!days) return renderSection(section, text, [text.yearLead], undefined);
  const inLanguages = rendered.get(days) ?? new Map<Language, Html>();
  rendered.set(days, inLanguages);
  const year =
    inLanguages.get(language) ??
    renderSection(section, text, [text.yearLead], renderDays(days, text));
  inLanguages.set(language, year);
  return year;
}

function renderDays(days: Days, text: Texts): Html {
  if (days.length === 0) return html`<p class="missing">${text.noYear}</p>`;
  return html`<div class="charts">
${allSeries.map((series) => renderChart(series, days, text))}</div>
<details>
<summary>${text.asTable}</summary>
<div class="scroll" role="region" aria-label="${text.asTable}" tabindex="0">
<table class="figures">
<thead><tr><th scope="col">${text.day}</th>${allSeries.map((series) => html`<th scope="col">${text.series[series]}</th>`)}</tr></thead>
<tbody>
${days.toReversed().map(
  ({ day, counts }) =>
    html`<tr><th scope="row">${day}</th>${allSeries.map((series) => html`<td>${text.number(counts[series])}</td>`)}</tr>
`,
)}</tbody>
</table>
</div>
</details>`;
}

/** Height of a chart in its own units; a day is one unit wide. */
const height = 60;
const dayMilliseconds = 24 * 60 * 60 * 1000;

function renderChart(series: Series, days: Days, text: Texts): Html {
  const points = days.map(({ day, counts }) => ({ day, count: counts[series] }));
  const counts = points.map(({ count }) => count);
  const [lowest, highest] = [Math.min(...counts), Math.max(...counts)];
  const [first, last] = [points[0]!, points.at(-1)!];
  const width = daysBetween(first.day, last.day) + 1;
  const [title, description] = [`${series}-title`, `${series}-description`];
  return html`<figure>
<figcaption>${text.series[series]} <strong>${text.number(last.count)}</strong></figcaption>
<svg role="img" aria-labelledby="${title} ${description}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<title id="${title}">${text.seriesTitle(text.series[series], text.shortDate(first.day), text.shortDate(last.day))}</title>
<desc id="${description}">${text.seriesDescription(text.number(first.count), text.number(last.count), text.number(lowest), text.number(highest))}</desc>
<path class="grid" d="M0 0h${width}M0 ${height}h${width}"/>
<path class="line" d="${pathOf(points, lowest, highest)}"/>
</svg>
<p class="scale" aria-hidden="true"><span>${text.number(highest)}</span> ${highest !== lowest && html`<span>${text.number(lowest)}</span>`}</p>
<p class="span" aria-hidden="true"><span>${text.month(first.day)}</span> <span>${text.month(last.day)}</span></p>
</figure>
`;
}

/**
 * A step for each day, one unit wide, as high as its count lies between the lowest and the highest. A day that was not
 * counted goes on as the one before it. Days with the same count are one step.
 */
export function pathOf(
  points: readonly { day: string; count: number }[],
  lowest: number,
  highest: number,
): string {
  const range = highest - lowest;
  const heightOf = (count: number) =>
    range === 0 ? height / 2 : ((highest - count) / range) * height;
  let path = '';
  let width = 0;
  for (const [index, { day, count }] of points.entries()) {
    const next = points[index + 1];
    if (width === 0) path += `${path === '' ? 'M0 ' : 'V'}${Number(heightOf(count).toFixed(2))}`;
    width += next ? daysBetween(day, next.day) : 1;
    if (next?.count === count) continue;
    path += `h${width}`;
    width = 0;
  }
  return path;
}

function daysBetween(day: string, later: string): number {
  return (Date.parse(later) - Date.parse(day)) / dayMilliseconds;
}
