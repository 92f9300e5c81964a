import { Argument } from '@commander-js/extra-typings';
import { historySubjects } from '../../../drizzle/schema.ts';
import { asciiUpperCase } from '../../ascii-case.ts';
import { listHistory, shownChanges } from '../../history.ts';
import { changeText } from '../change-text.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { type Entry, historyData } from './data.ts';

export const command = reading(
  'history show contact ALPHA:1B7A3C5D',
  'history retained_domain õ.ee --json',
)
  .addArgument(new Argument('<subject>', 'what kind of thing it is').choices(historySubjects))
  .argument('<key>', 'its code, name or username')
  .action((type, text, options) =>
    run(options, async ({ db }) => {
      const key = type === 'contact' ? asciiUpperCase(text) : text;
      const entries = await Array.fromAsync(
        everyPage<Entry, number>(
          (page) => listHistory(db, { type, key }, page),
          ({ id }) => id,
        ),
      );
      return {
        data: {
          history: entries.map(historyData),
        },
        text: entries.map(entryText).join('\n') || `nothing is recorded about ${type} ${key}`,
      };
    }),
  );

function entryText({ occurredAt, action, actor, subjectUuid, changes }: Entry): string {
  const head = `${occurredAt}  ${action} by ${actor}${subjectUuid === null ? '' : ` (${subjectUuid})`}`;
  const fields = Object.entries(shownChanges(changes)).map(
    ([field, change]) => `    ${field}: ${changeText(change)}`,
  );
  return [head, ...fields].join('\n');
}
