import { and, between, eq, gt, sql } from 'drizzle-orm';
import { history } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import type { HistoryEntry } from '../../change/history/search.ts';
import type { CommonOptions } from '../command.ts';
import { nounOf } from '../nouns/history/entry.ts';
import { changeTexts } from '../report/changes.ts';
import { counted } from '../report/text.ts';
import { canBeReverted } from '../undo/problems.ts';
import { CommandLine, type PageKind, Part, pageHref, type ShowPage } from './page.tsx';

const subjectOf: Partial<Record<HistoryEntry['subject'], PageKind>> = {
  contact: 'contact',
  registrar: 'registrar',
  domain: 'name',
  retained_domain: 'name',
  dispute: 'name',
  auction: 'name',
  disclosure: 'disclosure',
};

function EntryHeading({ entry }: { entry: HistoryEntry }) {
  const { id, occurredAt, requestId, actor, action, subject, subjectKey, subjectUuid } = entry;
  const time = <time>{occurredAt}</time>;
  const page = subjectOf[subject];
  const key = (subject === 'contact' && subjectUuid) || subjectKey;
  return (
    <>
      {requestId ? <a href={`${pageHref('request', requestId)}?near=${id}`}>{time}</a> : time}{' '}
      <strong>{actor}</strong>: {action} {nounOf[subject]}{' '}
      {page ? <a href={pageHref(page, key)}>{subjectKey}</a> : subjectKey}
    </>
  );
}

export function Entries({ entries }: { entries: readonly HistoryEntry[] }) {
  return (
    <Part title="What happened">
      <ol class="timeline">
        {entries.map((entry) => (
          <li>
            <EntryHeading entry={entry} />
            <ul>
              {changeTexts(entry.changes).map((text) => (
                <li>{text}</li>
              ))}
            </ul>
          </li>
        ))}
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

/** Requests, each with a change and the command that takes it back. */
export function Requests(props: { entries: readonly HistoryEntry[]; options: CommonOptions }) {
  const requests = Map.groupBy(props.entries, ({ requestId, id }) => requestId ?? id);
  return (
    <ol class="timeline">
      {[...requests.values()].map((entries) => {
        const first = entries.at(-1)!;
        const others = entries.length - 1;
        // Older ones are not read.
        const least = first === props.entries.at(-1) ? 'at least ' : '';
        return (
          <li>
            <EntryHeading entry={first} />
            {others > 0 && ` and ${least}${counted(others, 'more change')}`}
            {first.requestId && canBeReverted(entries) && (
              <div>
                take back:{' '}
                <CommandLine
                  words={['history', 'revert', first.requestId]}
                  options={props.options}
                />
              </div>
            )}
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

export const requestPage: ShowPage = async ({ registry: { db }, key, query }) => {
  const entries = await findRequest(db, key, Number(query('near')));
  const [last] = entries;
  if (!last) throw new RegistryError('not_found', `nothing recent is recorded of request ${key}`);
  const isCut = entries.length === shownEntries;
  return {
    title: `Request by ${last.actor}`,
    next: [
      ...(canBeReverted(entries) ? [['history', 'revert', key, '--dry-run']] : []),
      ['history', '--request', key],
    ],
    children: (
      <>
        <p class="lead">{isCut ? `${key}, its newest ${shownEntries} changes` : key}</p>
        <Entries entries={entries} />
      </>
    ),
  };
};
