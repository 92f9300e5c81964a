import path from 'node:path';
import type { Database } from '../../../database/open.ts';
import { RegistryError } from '../../../error.ts';
import {
  countArchivable,
  deleteArchived,
  endArchive,
  listArchivable,
  startArchive,
} from '../../../history/archive.ts';
import { dayOf, isDay, startOfDay } from '../../../time/day.ts';
import { usageError, writing } from '../../command.ts';
import { startProgress } from '../../report/progress.ts';
import { counted } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { openArchive } from './archive-file.ts';

export const archiveVerb = verb(
  writing('archive', 'history archive --before 2025-01-01 --to history-2024.ndjson')
    .description('Move the entries from before a day to a file')
    .requiredOption('--before <date>', 'archive the entries from before this day, UTC')
    .requiredOption('--to <file>', 'the NDJSON file to write or continue')
    .option(
      '--force',
      'start even if an archive to a file that is lost, or was refused, is unfinished',
    )
    .addHelpText(
      'after',
      `
The entries are appended to the file and then removed from the database, a few hundred at a time. If the
command is interrupted, repeat it: each entry is in the file once. The newest entry always stays. It ends
before the first entry that is not older, since clocks differ.
The file keeps personal values: contact erase and HISTORY_VALUES_MONTHS do not change it.`,
    )
    .hook('preAction', (command) => {
      const { before, to } = command.opts();
      if (!isDay(before)) throw usageError('--before must be a date such as 2025-01-01');
      if (to === '-') throw usageError('--to must be a file, because it is read again');
    }),
  async ({ db, origin, isDryRun, did }, { before: day, to, force: isForced = false }) => {
    if (day >= dayOf(origin.request.at)) {
      throw new RegistryError('invalid', '--before must be a day before today', 'before');
    }
    const before = startOfDay(day);
    const file = path.resolve(to);
    const { entries, from, until } = await countArchivable(db, before);
    const { archived, written } = isDryRun
      ? { archived: entries, written: 0 }
      : await archiveHistory(db, before, file, { isForced });
    const isChange = !isDryRun && archived > 0;
    return {
      data: { before: day, file, archived, written, from, until, changed: isChange },
      text: `${did('archive')} ${counted(archived, 'entry', 'entries')} from before ${day} to ${file}`,
    };
  },
);

/** A page may have some 4 MB. */
const pageEntries = 500;

/**
 * Moves the entries from before an instant to the file, in steps: entries leave the database once they are on the disk.
 * It may be killed at any point and repeated. Returns how many entries it archived, and how many of them it wrote.
 */
export async function archiveHistory(
  db: Database,
  before: string,
  name: string,
  { isForced = false, limit = pageEntries } = {},
): Promise<{ archived: number; written: number }> {
  const archive = { file: name, run: crypto.randomUUID() };
  const { entries, firstId } = await countArchivable(db, before);
  const start = await startArchive(db, archive, { isForced });
  // The file is read only now, when nobody else writes to it.
  await using file = await openArchive(name, firstId ?? Number.MAX_SAFE_INTEGER).catch(
    async (error) => {
      if (start === 'begun') await endArchive(db, archive);
      throw error;
    },
  );
  using progress = startProgress('archiving', entries);
  const done = { archived: 0, written: 0 };
  for (;;) {
    const page = await listArchivable(db, before, { limit });
    const [first, ...others] = page.map(({ id }) => id);
    if (first === undefined) break;
    done.written += await file.append(page);
    await deleteArchived(db, archive, [first, ...others]);
    done.archived += page.length;
    progress.advance(page.length);
  }
  await endArchive(db, archive);
  return done;
}
