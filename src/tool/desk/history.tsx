import { and, between, eq, gt, sql } from 'drizzle-orm';
import { history } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import type { HistoryEntry } from '../../change/history/search.ts';
import { changeSentences, entrySentence } from '../nouns/history/sentence.ts';
import { messageOf } from '../report/problem.ts';
import { counted } from '../report/text.ts';
import { actorText, messageText, timeText } from '../report/words.ts';
import { planRevert } from '../undo/revert.ts';
import { Part, pageHref, Say, Sentences, type ShowPage } from './page.tsx';

function Heading({ entry }: { entry: HistoryEntry }) {
  const { id, occurredAt, requestId } = entry;
  const href = requestId ? `${pageHref('request', requestId)}?near=${id}` : undefined;
  return (
    <>
      <Say parts={entrySentence(entry)} />{' '}
      <a class="when" href={href}>
        {timeText(occurredAt)}
      </a>
    </>
  );
}

/** More of them stand in one paragraph. */
const shownChanges = 4;

export function Entries({ entries }: { entries: readonly HistoryEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <Part title="What happened">
      <ol class="timeline">
        {entries.map((entry) => {
          const all = changeSentences(entry);
          return (
            <li>
              <Heading entry={entry} />
              <Sentences all={all} class={all.length > shownChanges ? 'many' : 'few'} />
            </li>
          );
        })}
      </ol>
    </Part>
  );
}

const aboutEntries = 50;

export function entriesAbout(
  db: Database,
  subject: HistoryEntry['subject'],
  key: string,
): Promise<HistoryEntry[]> {
  const isAbout = and(eq(history.subject, subject), eq(history.subjectKey, key));
  return listNewestEntries(db, isAbout, aboutEntries);
}

const shownRequests = 15;

/** The newest requests, each with its first change. */
export function Requests({ entries }: { entries: readonly HistoryEntry[] }) {
  const requests = Map.groupBy(entries, ({ requestId, id }) => requestId ?? id);
  return (
    <ol class="timeline">
      {[...requests.values()].slice(0, shownRequests).map((some) => {
        const first = some.at(-1)!;
        const others = some.length - 1;
        // Older ones are not read.
        const least = first === entries.at(-1) ? 'at least ' : '';
        return (
          <li>
            <Heading entry={first} />
            {others > 0 && ` and ${least}${counted(others, 'more change')}`}
          </li>
        );
      })}
    </ol>
  );
}

/** No index has requests: this many entries are searched. */
const searchedEntries = 50_000;
const shownEntries = 200;

export function findRequest(db: Database, id: string, near?: number): Promise<HistoryEntry[]> {
  const half = searchedEntries / 2;
  const isSearched = near
    ? between(history.id, near - half, near + half)
    : gt(history.id, sql`(select max(id) from ${history} as newest) - ${searchedEntries}`);
  return listNewestEntries(db, and(isSearched, eq(history.requestId, id)), shownEntries);
}

export const requestPage: ShowPage = async ({ registry, key, query }) => {
  const entries = await findRequest(registry.db, key, Number(query('near')));
  const [last] = entries;
  if (!last) throw new RegistryError('not_found', `nothing recent is recorded of request ${key}`);
  const isCut = entries.length === shownEntries;
  const obstacle = await planRevert({ ...registry, isDryRun: true }, key).then(() => '', messageOf);
  const made = `${isCut ? 'at least ' : ''}${counted(entries.length, 'change')}`;
  const isFree = obstacle === '';
  return {
    title: `A request by ${actorText(last.actor)}`,
    answer: [
      [`It made ${made}, ${timeText(last.occurredAt)}.`],
      [isFree ? 'It can be taken back.' : `It cannot be taken back: ${messageText(obstacle)}.`],
    ],
    children: <Entries entries={entries} />,
    next: [
      ...(isFree ? [['history', 'revert', key, '--dry-run']] : []),
      ...(isFree ? [['history', 'revert', key]] : []),
      ['history', '--request', key],
    ],
  };
};
