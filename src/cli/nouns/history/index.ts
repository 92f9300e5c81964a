import { setTimeout } from 'node:timers/promises';
import { Argument } from '@commander-js/extra-typings';
import { historySubjects } from '../../../../drizzle/schema.ts';
import type { HistoryCriteria, HistoryEntry } from '../../../history/search.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { noun, reading, usageError } from '../../command.ts';
import { parseNameOrUuid } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { changeTexts } from '../../report/changes.ts';
import { writeOutput } from '../../report/output.ts';
import { verb } from '../../run.ts';
import { parseSince, parseUntil } from '../../time.ts';
import { historyData, nounOf } from './entry.ts';
import { readHistory } from './read-history.ts';
import { revertVerb } from './revert.ts';

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
      '\nWith --json, the history of one thing is one value; otherwise the answer is NDJSON, one entry on each line.',
    )
    .addArgument(
      new Argument('[subject]', 'only this kind of thing').choices(Object.values(nounOf)),
    )
    .argument('[key]', 'its code, name, username or UUID')
    .option('--since <time>', 'from this day or time on, in UTC', parseSince)
    .option('--until <time>', 'up to this day or time, in UTC', parseUntil)
    .option('--by <text>', 'only changes by actors whose name contains this')
    .option('--request <id>', 'only changes of this request id or client reference')
    .option('--follow', 'wait for further changes, until Ctrl-C')
    .hook('preAction', (command) => {
      const { follow, until } = command.opts();
      if (follow && until) throw usageError('--follow has no end: leave out --until');
    }),
  async (registry, noun, text, options) => {
    const key = text && keyOf(noun, text);
    const { since, until, by, request } = options;
    const subject = historySubjects.find((subject) => nounOf[subject] === noun);
    const criteria = { subject, key, since, until, by, request };
    if (key === undefined || options.follow) {
      const isEmpty = await stream(registry, criteria, options);
      if (!isEmpty || options.json) return undefined;
      return { data: {}, text: 'nothing is recorded that matches' };
    }
    const entries = await Array.fromAsync(readHistory(registry.db, criteria));
    return {
      data: { history: entries.map(historyData) },
      text: entries.map(entryText).join('\n') || `nothing is recorded about ${noun} ${key}`,
    };
  },
);

export const historyCommand = noun(
  'history',
  'history contact ALPHA:1B7A3C5D',
  [revertVerb],
  show,
).description('The history of changes, including those of deleted things');

/** The key as history has it. A UUID is found in either case. */
function keyOf(noun: string | undefined, text: string): string {
  if (noun === 'contact' || noun === 'registrar') return asciiUpperCase(text);
  return noun === 'api-user' || noun === 'system' ? text : parseNameOrUuid(text);
}

/** Prints the entries as they are read; with `follow`, also those that come later. Returns whether there were none. */
async function stream(
  { db }: Registry,
  criteria: HistoryCriteria,
  { json, follow }: { json?: true; follow?: true },
): Promise<boolean> {
  let isEmpty = true;
  const pause = follow && (() => setTimeout(500));
  for await (const entry of readHistory(db, criteria, pause)) {
    await writeOutput(`${json ? JSON.stringify(historyData(entry)) : entryText(entry)}\n`);
    isEmpty = false;
  }
  return isEmpty;
}

function entryText(entry: HistoryEntry): string {
  const { occurredAt, action, subject, subjectKey, subjectUuid, actor, requestId, changes } = entry;
  const uuid = subjectUuid === null ? '' : ` (${subjectUuid})`;
  const head = `${occurredAt}  ${action} ${nounOf[subject]} ${subjectKey}${uuid} by ${actor}, request ${requestId}`;
  return [head, ...changeTexts(changes)].join('\n    ');
}
