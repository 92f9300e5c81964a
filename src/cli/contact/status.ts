import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type ContactStatus, contactStatuses } from '../../../drizzle/schema.ts';
import { changeContactStatuses } from '../../contact/administer.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { usageError, writing } from '../command.ts';
import { run } from '../run.ts';
import { reportOfChange } from './changed.ts';

export const command = writing(
  'contact status ALPHA:1B7A3C5D --add serverUpdateProhibited --note "court order 12-3"',
  'contact status ALPHA:1B7A3C5D --remove serverUpdateProhibited',
)
  .argument('<code>', 'the contact')
  .option('--add <status...>', `of ${contactStatuses.join(', ')}`, parseStatuses)
  .option('--remove <status...>', 'statuses to take away, with their notes', parseStatuses)
  .option('--note <text>', 'why the statuses are added')
  .action((code, options) => {
    const { add = [], remove = [], note } = options;
    if (add.length + remove.length === 0) {
      throw usageError('nothing to change: give --add or --remove');
    }
    if (note !== undefined && add.length === 0) throw usageError('--note belongs to --add');
    return run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const statuses = { add, remove, note };
      const changes = await changeContactStatuses(db, origin, code, statuses, { isDryRun });
      return reportOfChange(registry, asciiUpperCase(code), changes);
    });
  });

function parseStatuses(text: string, before: ContactStatus[] | undefined): ContactStatus[] {
  const status = contactStatuses.find((known) => known === text);
  if (!status) throw new InvalidArgumentError(`It must be one of ${contactStatuses.join(', ')}.`);
  return [...(before ?? []), status];
}
