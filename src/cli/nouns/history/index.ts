import { setTimeout } from 'node:timers/promises';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { historySubjects } from '../../../../drizzle/schema.ts';
import { isDay } from '../../../day.ts';
import { shownChanges } from '../../../history/changes.ts';
import {
  findIdBefore,
  type HistoryCriteria,
  type HistoryEntry,
  listHistory,
} from '../../../history/search.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { changeText } from '../../change.ts';
import { noun, reading, usageError } from '../../command.ts';
import { everyRow } from '../../pages.ts';
import type { Registry } from '../../registry.ts';
import { verb } from '../../run.ts';
import { archiveVerb } from './archive.ts';
import { historyData, nounOf } from './entry.ts';

const show = verb(
  reading(
    'show',
    'history show contact ALPHA:1B7A3C5D',
    'history auction kohv.ee --json',
    'history --since 2026-11-01 --by ats',
    'history --follow',
  )
    .description('Show what happened; the word show may be left out')
    .addHelpText(
      'after',
      '\nWith --json, the history of one thing is one value; otherwise each line is an entry.',
    )
    .addArgument(
      new Argument('[subject]', 'only this kind of thing').choices(Object.values(nounOf)),
    )
    .argument('[key]', 'its code, name, username or UUID')
    .option('--since <time>', 'from this day or instant on, in UTC', parseSince)
    .option('--until <time>', 'up to this day or instant, in UTC', parseUntil)
    .option('--by <text>', 'only changes by actors whose name contains this')
    .option('--request <id>', 'only changes of this request id or client reference')
    .option('--follow', 'wait for further changes, until Ctrl-C')
    .hook('preAction', (command) => {
      const { follow, until } = command.opts();
      if (follow && until) throw usageError('--follow has no end: leave out --until');
    }),
  async (registry, noun, text, options) => {
    const key = noun === 'contact' && text !== undefined ? contactKey(text) : text;
    const { since, until, by, request } = options;
    const subject = historySubjects.find((subject) => nounOf[subject] === noun);
    const criteria = { subject, key, since, until, by, request };
    if (key === undefined || options.follow) {
      await stream(registry, criteria, options);
      return undefined;
    }
    const entries = await Array.fromAsync(everyEntry(registry, criteria));
    return {
      data: { history: entries.map(historyData) },
      text: entries.map(entryText).join('\n') || `nothing is recorded about ${noun} ${key}`,
    };
  },
);

export const historyCommand = noun(
  'history',
  'history contact ALPHA:1B7A3C5D',
  [archiveVerb],
  show,
);

/** Prints the entries as they are read; with `follow`, also those that come later. */
async function stream(
  registry: Registry,
  criteria: HistoryCriteria,
  { json, follow }: { json?: true; follow?: true },
): Promise<void> {
  let last = 0;
  for (;;) {
    for await (const entry of everyEntry(registry, criteria, last)) {
      console.log(json ? JSON.stringify(historyData(entry)) : entryText(entry));
      last = entry.id;
    }
    if (!follow) return;
    await setTimeout(500);
  }
}

async function* everyEntry({ db }: Registry, criteria: HistoryCriteria, last = 0) {
  const { since } = criteria;
  const start = last === 0 && since ? await findIdBefore(db, since) : last;
  yield* everyRow<HistoryEntry, number>(
    ({ after = start, limit }) => listHistory(db, criteria, { after, limit }),
    ({ id }) => id,
  );
}

/** A code in upper case, or a UUID as it is. */
function contactKey(text: string): string {
  return text.includes(':') ? asciiUpperCase(text) : text;
}

function entryText(entry: HistoryEntry): string {
  const { occurredAt, action, subject, subjectKey, subjectUuid, actor, changes } = entry;
  const uuid = subjectUuid === null ? '' : ` (${subjectUuid})`;
  const head = `${occurredAt}  ${action} ${nounOf[subject]} ${subjectKey}${uuid} by ${actor}`;
  const fields = Object.entries(shownChanges(changes)).map(
    ([field, change]) => `    ${field}: ${changeText(change)}`,
  );
  return [head, ...fields].join('\n');
}

function parseSince(text: string): Date {
  const instant = new Date(text);
  const isTime = isDay(text) || /^\d{4}-\d{2}-\d{2}T/.test(text);
  if (isTime && !Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError('Write 2026-01-31 or 2026-01-31T12:00:00Z.');
}

/** A day is included. */
function parseUntil(text: string): Date {
  const since = parseSince(text);
  return isDay(text) ? new Date(since.getTime() + 24 * 60 * 60 * 1000) : since;
}
