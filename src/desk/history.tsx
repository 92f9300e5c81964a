import { and, between, count, desc, eq, gt, inArray, max, min, or, sql } from 'drizzle-orm';
import type { Child } from 'hono/jsx';
import { history } from '../../drizzle/schema.ts';
import { isIn } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import { RegistryError, refusalIn } from '../base/error.ts';
import { listNewestEntries } from '../change/history/operator/search.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { reversalProblems } from '../undo/problems.ts';
import { planRevert } from '../undo/revert.ts';
import { changeSentences, entrySentence } from '../view/history-sentences.ts';
import { countText } from '../view/text.ts';
import { actorText, timeText, valueText } from '../view/words.ts';
import type { DeskLook } from './guard.ts';
import {
  type DeskRegistry,
  looksAt,
  Part,
  pageHref,
  Sentences,
  type ShowPage,
  sentenceNodes,
} from './page.tsx';

function heading({ id, occurredAt, requestId, ...entry }: HistoryEntry): Child[] {
  const href = requestId ? `${pageHref('request', requestId)}?near=${id}` : undefined;
  const link = { class: 'when', href };
  return [...sentenceNodes(entrySentence(entry)), ' ', <a {...link}>{timeText(occurredAt)}</a>];
}

const shownChanges = 4;

export function Entries(props: {
  entries: readonly HistoryEntry[];
  title?: string;
  none?: string;
}) {
  const { entries, title = 'What happened', none } = props;
  if (entries.length === 0)
    return none ? (
      <Part title={title}>
        <p>{none}</p>
      </Part>
    ) : null;
  const items = entries.map((entry) => {
    const all = changeSentences(entry);
    const changes = <Sentences all={all} class={all.length > shownChanges ? 'many' : 'few'} />;
    return <li>{[...heading(entry), changes]}</li>;
  });
  return timeline(title, items);
}

const timeline = (title: string, items: Child[]) => (
  <Part title={title}>
    <ol class="timeline">{items}</ol>
  </Part>
);

const shownEntries = 200;

export function entriesAbout(db: Database, subject: HistoryEntry['subject'], key: string) {
  return entriesAboutAny(db, [{ subject, keys: [key] }]);
}

export function entriesAboutAny(
  db: Database,
  things: readonly { subject: HistoryEntry['subject']; keys: readonly string[] }[],
) {
  const isAbout = things.map(({ subject, keys }) =>
    and(eq(history.subject, subject), isIn(history.subjectKey, JSON.stringify(keys))),
  );
  return listNewestEntries(db, or(...isAbout), shownEntries);
}

const shownRequests = 15;
/** Requests have no index: this many entries are searched. */
const searchedEntries = 15_000;

interface NewestRequests {
  requests: { first: HistoryEntry; count: number; isWhole: boolean }[];
  isCut: boolean;
}

/** The newest first. Usually reads few entries, and more of them behind a request with many. */
export async function listNewestRequests(db: Database): Promise<NewestRequests> {
  const few = await readNewestRequests(db, 200);
  return few.isCut ? readNewestRequests(db, searchedEntries) : few;
}

async function readNewestRequests(db: Database, searched: number): Promise<NewestRequests> {
  const [newest] = await db.select({ id: max(history.id) }).from(history);
  const after = (newest?.id ?? 0) - searched;
  const least = min(history.id);
  const found = await db
    .select({ least: sql<number>`${least}`, count: count() })
    .from(history)
    .where(gt(history.id, after))
    .groupBy(sql`ifnull(${history.requestId}, ${history.id})`)
    .orderBy(desc(max(history.id)))
    .limit(shownRequests);
  const ids = found.map((one) => one.least);
  const firsts = await db.select().from(history).where(inArray(history.id, ids));
  const byId = new Map(firsts.map((entry) => [entry.id, entry]));
  const isCut = found.length < shownRequests && after > 0;
  const requests = found.map(({ least: id, count }) => {
    const first = byId.get(id)!;
    // Entries before the searched ones may belong to the same command.
    const isWhole = after <= 0 || (id > after + 1 && !writesInBatches.has(first.actorType));
    return { first, count, isWhole };
  });
  return { requests, isCut };
}

/** Other requests write all their entries in one batch. */
const writesInBatches = new Set<HistoryEntry['actorType']>(['operator', 'cron', 'move_in']);

export function Requests({ requests, isCut }: NewestRequests) {
  const items = requests.map(({ first, count, isWhole }) => {
    const least = isWhole ? '' : 'at least ';
    const others = count > 1 && ` and ${least}${countText(count - 1, 'more change')}`;
    return <li>{[...heading(first), others]}</li>;
  });
  const older = `Only the newest ${valueText(searchedEntries)} changes were looked at.`;
  return (
    <>
      {timeline('What happened lately', items)}
      {isCut && <p class="quiet">{older}</p>}
    </>
  );
}

/** The contacts of which a page with the entries has values. */
export function looksAtEntries(entries: readonly HistoryEntry[]): DeskLook[] {
  const ofContacts = entries.filter(({ subject }) => subject === 'contact');
  // Entries of the first builds have no UUID.
  const keys = ofContacts.map(({ subjectKey, subjectUuid }) => subjectUuid ?? subjectKey);
  return looksAt([...new Set(keys)].map((uuid) => ({ uuid })));
}

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
  const made = `${isCut ? 'at least ' : ''}${countText(entries.length, 'change')}`;
  const problem = isCut ? reversalProblems(last, null)[0] : await findProblem(registry, entries);
  const isFree = problem === undefined;
  const free = isCut ? 'A dry run says whether it can be taken back.' : 'It can be taken back.';
  return {
    shows: [{ subject: 'request', key }, ...looksAtEntries(entries)],
    title: `A request by ${actorText(last.actor)}`,
    answer: [
      [`It made ${made}, ${timeText(last.occurredAt)}.`],
      isFree
        ? [free]
        : ['It cannot be taken back: ', ...(problem.sentence ?? [problem.message]), '.'],
    ],
    children: <Entries entries={entries} />,
    next: [
      ...(isFree ? [['history', 'revert', key, ...(isCut ? ['--dry-run'] : [])]] : []),
      ['history', '--request', key],
    ],
  };
};

/** What prevents the reversal of all changes of a request. */
async function findProblem(registry: DeskRegistry, entries: readonly HistoryEntry[]) {
  const { id, requestId } = entries[0]!;
  const isAmongThem = between(history.id, entries.at(-1)!.id, id);
  const plan = await planRevert(registry, requestId!, { within: isAmongThem }).catch(refusalIn);
  if (plan instanceof RegistryError) return plan.problems[0];
  const { count, takenBack } = plan;
  const message = `request ${takenBack.requests.join(', ')} has taken it back`;
  return count > 0 ? undefined : { message, sentence: undefined };
}
