import { setTimeout } from 'node:timers/promises';
import { Argument, Option } from '@commander-js/extra-typings';
import { and, gt, lt } from 'drizzle-orm';
import { history, historySubjects } from '../../../../drizzle/schema.ts';
import { everyRow } from '../../../base/database/every-row.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import {
  findIdBefore,
  type HistoryCriteria,
  listHistory,
  listNewestEntries,
  meets,
} from '../../../change/history/operator/search.ts';
import { findNewestId, type HistoryEntry } from '../../../change/history/search.ts';
import { historyData, historyView, nounOf } from '../../../view/history.ts';
import { noun, parseNumber, readCommand, usageError } from '../../command.ts';
import { parseNameOrUuid } from '../../names.ts';
import { say } from '../../report/output.ts';
import { verb } from '../../run.ts';
import { parseSince, parseUntil } from '../../time.ts';
import { csvOption, soughtIn, streamRows } from '../../view.ts';
import { revertVerb } from './revert.ts';

/** Of everything, people want the newest. Programs get all of it, as for every other question. */
const newestAlone = 10;

const show = verb(
  readCommand('show', 'history show contact ALPHA:1B7A3C5D', 'history --last 10 --by ats')
    .description(
      'Show what happened, the newest first; JSON is NDJSON, but for the history of one thing',
    )
    .addArgument(
      new Argument('[subject]', 'only this kind of thing')
        .choices(Object.values(nounOf))
        .argParser(parseSubject),
    )
    .argument('[key]', 'its code, name, username or UUID')
    .option('--since <time>', 'from this day or time on, in UTC', parseSince)
    .option('--until <time>', 'up to this day or time, in UTC', parseUntil)
    .option('--by <text>', 'only changes by actors whose name contains this')
    .option('--request <id>', 'only changes of this request id or client reference')
    .addOption(csvOption())
    .option('--last <count>', `only so many (history alone: ${newestAlone})`, parseNumber)
    .addOption(
      new Option(
        '--follow',
        'wait for further changes, until Ctrl-C; prints in the order of time',
      ).conflicts(['until', 'last']),
    ),
  async ({ db }, noun, text, { follow, ...options }) => {
    const key = text && (await keyOf(db, noun, text));
    const subject = historySubjects.find((subject) => nounOf[subject] === noun);
    const criteria = { ...options, subject, key };
    const { since, until, by, request, json, csv } = options;
    const isAsked = noun ?? since ?? until ?? by ?? request ?? follow ?? json ?? csv;
    const isAlone = (isAsked ?? options.last) === undefined;
    const last = isAlone ? newestAlone : options.last;
    const readAll = () =>
      follow ? followHistory(db, criteria, () => setTimeout(500)) : readHistory(db, criteria);
    const entries =
      last === undefined
        ? readAll()
        : await retry(() => listNewestEntries(db, meets(criteria), last));
    // One document about one thing; anything longer is printed as it is read.
    if (options.json && key !== undefined && !follow) {
      return { data: { history: await Array.fromAsync(entries, historyData) }, text: '' };
    }
    const about = key === undefined ? '' : ` about ${noun} ${key}`;
    const sought = soughtIn([{ by, request }]);
    const isWide = about + sought === '';
    const none = `nothing is recorded${about}${sought && ` with${sought}`}${isWide ? ' that matches' : ''}`;
    const view = { ...historyView, none };
    const report = await streamRows(entries, view, options);
    if (isAlone && !report) say(`at most ${last}; --help says how to see others`);
    return report;
  },
);

export const historyCommand = noun('history', 'What was changed, and by whom', [revertVerb], show);

/** The word may have been meant as a verb, too. */
function parseSubject(text: string): string {
  const subjects: string[] = Object.values(nounOf);
  if (subjects.includes(text)) return text;
  throw usageError(
    `history has neither a subject nor a verb ${JSON.stringify(text)}; the subjects are ${subjects.join(', ')}; the verb is revert`,
  );
}

/** A UUID is found in either case. */
async function keyOf(db: Database, noun: string | undefined, text: string): Promise<string> {
  if (noun === 'contact' || noun === 'registrar') return asciiUpperCase(text);
  return noun === 'api-user' || noun === 'system' ? text : parseNameOrUuid(db, text);
}

const idBefore = async (db: Database, { since }: HistoryCriteria) =>
  since ? await findIdBefore(db, since) : 0;

/** Yields the newest entries first. */
export async function* readHistory(
  db: Database,
  criteria: HistoryCriteria,
): AsyncGenerator<HistoryEntry, void> {
  const isLater = gt(history.id, await idBefore(db, criteria));
  yield* everyRow<HistoryEntry>(({ after, limit }) => {
    const isEarlier = after && lt(history.id, after.id);
    return listNewestEntries(db, and(meets(criteria), isLater, isEarlier), limit);
  });
}

/** Yields the oldest entries first, and new ones for ever. */
export async function* followHistory(
  db: Database,
  criteria: HistoryCriteria,
  pause: () => Promise<unknown>,
): AsyncGenerator<HistoryEntry, void> {
  let last = await idBefore(db, criteria);
  for (;;) {
    const [start, upTo] = [last, await findNewestId(db)];
    yield* everyRow<HistoryEntry>(({ after = { id: start }, limit }) =>
      listHistory(db, criteria, { after, upTo, limit }),
    );
    last = upTo;
    await pause();
  }
}
