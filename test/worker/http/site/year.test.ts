import { expect, it } from 'vitest';
import type { DailyCounts } from '../../../../src/list/daily-counts.ts';
import type { Language } from '../../../../src/worker/http/request/language.ts';
import { texts } from '../../../../src/worker/http/site/texts.ts';
import { YearSection } from '../../../../src/worker/http/site/year-section.tsx';
import { rowsOf, textOf } from './document.ts';

const series = ['reserved', 'blocked', 'disputed', 'auctions'] as const;

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** A year in which the counts go their ways; on some days, and for one week, nothing was counted. */
const year: DailyCounts[] = Array.from({ length: 366 }, (_, n) => ({
  day: dayAfter('2025-11-21', n),
  counts: {
    reserved: 1_000_000 + Math.round(5_000 * Math.sin(n / 40)),
    blocked: 22,
    disputed: 10 + Math.floor(n / 30),
    auctions: (n * 7) % 13,
  },
})).filter((_, n) => n % 50 !== 17 && (n < 140 || n >= 147));

const render = (days: readonly DailyCounts[] | undefined, language: Language = 'en') =>
  String(YearSection({ text: texts[language], days }));

const numberIn = (text: string) => Number(text.replace(/[,\u00a0]/g, ''));

/** The count of each day that a chart draws, by its path and the two numbers beside it. */
function drawn(html: string, name: string): number[] {
  const [figure = ''] = new RegExp(
    `<figure>(?:(?!</figure>).)*"${name}-title".*?</figure>`,
    's',
  ).exec(html)!;
  const [, path = ''] = /class="line" d="([^"]*)"/.exec(figure)!;
  const [, scale = ''] = /<p class="scale".*?>(.*?)<\/p>/s.exec(figure)!;
  const [highest = 0, lowest = highest] = textOf(scale).split(' ').map(numberIn);
  const counts: number[] = [];
  for (const [, height, end] of path.matchAll(/(?:M0 |V)([\d.]+)H(\d+)/g)) {
    const count = Math.round(highest - (Number(height) / 60) * (highest - lowest));
    while (counts.length < Number(end)) counts.push(count);
  }
  return counts;
}

it.each(['et', 'en'] as const)(
  'the last year draws the figures that its table has, in /%s/',
  (language) => {
    const html = render(year, language);
    const rows = new Map(rowsOf(html).map(([day, ...counts]) => [day, counts.map(numberIn)]));
    expect(rows.size).toBe(year.length);
    for (const [column, name] of series.entries()) {
      const counts = drawn(html, name);
      expect(counts).toHaveLength(366);
      let before: number | undefined;
      for (const [n, count] of counts.entries()) {
        // A day that was not counted goes on as the one before it.
        const expected: number = rows.get(dayAfter('2025-11-21', n))?.[column] ?? before!;
        expect(Math.abs(count - expected)).toBeLessThanOrEqual(expected / 1e5);
        before = expected;
      }
    }
  },
);

it('the last year has the recorded figures in its table, the newest day first', () => {
  const rows = rowsOf(render(year));
  const { day, counts } = year.at(-1)!;
  expect(rows[0]).toEqual([day, ...series.map((name) => counts[name].toLocaleString('en'))]);
  expect(rows.at(-1)![0]).toBe(year[0]!.day);
});

it('the last year says in title and description what each chart shows', () => {
  const html = render(year, 'et');
  for (const name of series) {
    expect(html).toContain(`aria-labelledby="${name}-title ${name}-description"`);
    expect(html).toMatch(new RegExp(`<title id="${name}-title">[^<]+, 21.11.2025–21.11.2026`));
    expect(html).toMatch(new RegExp(`<desc id="${name}-description">Alguses [^<]+suurim`));
  }
  expect(html).toContain('Alguses 10, lõpus 22; väikseim 10, suurim 22.');
  expect(html).toContain('<span>november 2025</span><span>november 2026</span>');
  expect(html).toMatch(/suurim 1\u00a00\d\d\u00a0\d{3}\./);
});

it.each([
  ['et', 'pealkirja kõrval on viimase loenduse arv'],
  ['en', 'the figure beside each title is that of the last count'],
] as const)('the last year says in /%s/ what the figure beside a title is', (language, words) => {
  const html = render(year, language);
  expect(textOf(html)).toContain(words);
  const figures = [...html.matchAll(/<figcaption>.*?<strong>(.*?)<\/strong>/gs)];
  const { counts } = year.at(-1)!;
  expect(figures.map(([, figure]) => numberIn(figure!))).toEqual(
    series.map((name) => counts[name]),
  );
});

it('the last year has a scale from the lowest to the highest figure, as its text says', () => {
  const counts = { reserved: 1, blocked: 1, disputed: 1 };
  const auctions = [13, 1, 9, 2, 3, 4, 5, 7, 1];
  const html = render(
    auctions.map((count, n) => ({
      day: dayAfter('2026-01-01', n),
      counts: { ...counts, auctions: count },
    })),
  );
  expect(html).toContain('<p class="scale" aria-hidden="true"><span>13</span><span>1</span></p>');
  expect(html).toContain('class="line" d="M0 0H1V60H2V20H3V55H4V50H5V45H6V40H7V30H8V60H9"');
  expect(html).toContain('the lowest 1, the highest 13');
});

it('the last year draws a single day, and a count that never changes', () => {
  const html = render(year.slice(0, 1));
  expect(html).toContain('viewBox="0 0 1 60"');
  expect(html).toContain('class="line" d="M0 30H1"');
  expect(rowsOf(html)).toHaveLength(1);
});

it('the last year says that there is nothing to show, or not at the moment', () => {
  expect(textOf(render([]))).toContain('There are no figures to show.');
  expect(textOf(render(undefined))).toContain('cannot be shown at the moment');
});
