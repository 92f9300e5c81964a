import { newMeter } from '../base/database/meter.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import { dayOf } from '../base/time/day.ts';
import { listContactsBy } from '../contact/operator/administer.ts';
import {
  countOpenDisclosures,
  findUnchanged,
  listOpenDisclosures,
} from '../contact/operator/disclosure/read.ts';
import { type DailyCounts, readDailyCounts } from '../list/daily-counts.ts';
import { retainedList } from '../list/lists.ts';
import { type Findings, isWarning } from '../view/alarm.ts';
import { plain, type Shown } from '../view/columns.ts';
import { withAnswerBy } from '../view/disclosure.ts';
import { listStates, readHealthState } from '../view/health.ts';
import { dayText, fieldWords, timeText, valueText } from '../view/words.ts';
import { texts } from '../worker/http/site/texts.ts';
import { listNewestRequests, Requests } from './history.tsx';
import { Part, Rows, Sentences, type ShowPage } from './page.tsx';
import { disclosureSentence } from './things.tsx';

const shownRows = 20;
const none = 'No request for disclosure is open, and no demand for verification is overdue.';

/** Of those that the page does not show. */
const moreSentence = (more: number, what: string): Sentence[] =>
  more > 0 ? [[`More ${what}: ${valueText(more)}.`]] : [];

export const todayPage: ShowPage = async ({ registry }) => {
  const { db, env } = registry;
  const [state, requests, open, openCount, overdue, days] = await Promise.all([
    readHealthState(registry),
    listNewestRequests(db),
    listOpenDisclosures(db, shownRows),
    countOpenDisclosures(db),
    listContactsBy(db, { overdueOn: dayOf(currentTime()) }, { limit: shownRows }),
    readDailyCounts({ kv: env.LISTS, clock: currentTime, meter: newMeter() }),
  ]);
  const { alarms, findings } = state;
  const due = open.map(withAnswerBy(env));
  const same = await findUnchanged(db, open);
  const overdueCount = findings.overdueVerifications;
  const openSentence = (one: (typeof due)[number]): Sentence => {
    const disclosure = { kind: 'disclosure', key: String(one.id) } as const;
    const answer = ` To be answered by ${timeText(one.answerBy)}: `;
    return [...disclosureSentence(one, same.has(one.id)), answer, disclosure, '.'];
  };
  const waiting: Sentence[] = [
    ...due.filter((one) => !one.isConfidential).map(openSentence),
    ...overdue.map(({ code: key, uuid, verificationDemand: demand }): Sentence => {
      const claims = demand!.claims.map(fieldWords).join(', ');
      const late = `: ${claims} had to be checked by ${dayText(demand!.by)}.`;
      return [{ kind: 'contact', key, uuid }, late];
    }),
    ...moreSentence(openCount - open.length, 'requests for disclosure are open'),
    ...moreSentence(overdueCount - overdue.length, 'demands for verification are overdue'),
  ];
  const kept = due
    .filter((one) => one.isConfidential)
    .map((one) => sentence`Do not tell the caller: ${openSentence(one)}`);
  return {
    shows: [{ subject: 'today', key: '' }],
    title: alarms.length === 0 ? 'No alarm, no warning' : 'Needs attention',
    tone: alarms.every(isWarning) ? 'warning' : 'alarm',
    answer: alarms.map((one) => [isWarning(one) ? 'Warning: ' : 'Alarm: ', ...one.sentence]),
    children: (
      <>
        <Part title="What waits">
          {kept.length > 0 && <Sentences all={kept} class="kept answer warning" />}
          {waiting.length > 0 && <Sentences all={waiting} />}
          {waiting.length + kept.length === 0 && <p>{none}</p>}
        </Part>
        <Requests {...requests} />
        <Lists findings={findings} days={days ?? []} />
      </>
    ),
    next: [
      ...alarms.flatMap(({ command, otherwise }) =>
        [command, otherwise].filter((words) => words !== undefined),
      ),
      ['health'],
      ['history'],
      ['lists', 'status'],
    ],
  };
};

/** All charts have one scale, and end with the figure of the table: the day's own count was taken in the morning. */
function Lists({ findings, days }: { findings: Findings; days: readonly DailyCounts[] }) {
  const today = dayOf(currentTime());
  const past = days.filter(({ day }) => day < today);
  const rows = listStates(findings);
  const counts = past.flatMap((one) => Object.values(one.counts));
  const highest = Math.max(1, ...counts, ...rows.map(({ count }) => count ?? 0));
  const chartOf = ({ list, count }: (typeof rows)[number]) => {
    if (list === retainedList) return null;
    return <Chart counts={[...past.map((one) => one.counts[list]), count ?? 0]} {...{ highest }} />;
  };
  const columns: Shown<(typeof rows)[number]>['columns'] = {
    list: ({ list }) => (list === retainedList ? 'Retained names together' : texts.en.lists[list]),
    names_today: ({ count }) => <b>{valueText(count)}</b>,
    last_year: chartOf,
    ...plain('publishedAt', 'isBehind'),
  };
  const table = 'list names_today last_year published_at is_behind';
  return (
    <Part title="The lists">
      <Rows view={{ name: 'lists', columns, table }} rows={rows} />
      <p class="quiet">Each chart goes from 0 to {valueText(highest)}.</p>
    </Part>
  );
}

/** In units of the drawing; a day is one unit wide. */
const height = 40;

function Chart({ counts, highest }: { counts: readonly number[]; highest: number }) {
  const steps = counts.map((count) => `V${(height * (1 - count / highest)).toFixed(1)}h1`);
  const label = `${valueText(counts[0])} at the beginning, ${valueText(counts.at(-1))} today`;
  const box = `0 0 ${counts.length} ${height}`;
  return (
    <svg role="img" aria-label={label} viewBox={box} preserveAspectRatio="none">
      <path class="line" d={`M0 ${steps.join('').slice(1)}`} />
    </svg>
  );
}
