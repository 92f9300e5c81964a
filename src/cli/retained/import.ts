import { retainedStatuses } from '../../../drizzle/schema.ts';
import { parseDomainName } from '../../domain-name.ts';
import { RegistryError } from '../../error.ts';
import { addRetainedDomains } from '../../retained-domain/change.ts';
import type { RetainedDomain, RetainedStatus } from '../../retained-domain/list.ts';
import { replaceRetainedDomains } from '../../retained-domain/replace.ts';
import { textField } from '../file/field.ts';
import { importing, type RowReader, readImport, settleRejected } from '../file/import.ts';
import { inChunks } from '../progress.ts';
import { publishedText, publishLists } from '../publish.ts';
import type { Registry } from '../registry.ts';
import { run } from '../run.ts';
import { counted } from '../text.ts';
import { listsOf, statusOption } from './status.ts';

const columns = { known: ['name', 'status'], required: ['name'] };

export const importNames = importing(
  'Reserve or block the names of a file, and publish the lists',
  columns,
  'retained import names.csv',
  'retained import reserved.csv --status reserved --replace',
)
  .addOption(statusOption('what the names are, where the file has no column status'))
  .option('--replace', 'make the list (of that status, or both) equal to the file, in one step')
  .action((file, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const read = await readImport(file, options, rowReader(options.status));
      const rejectedFile = await settleRejected(read, options, isDryRun);
      const names = read.rows.map(({ row }) => row);
      const statuses = options.status ? ([options.status] as const) : retainedStatuses;
      const { added, removed } = options.replace
        ? await replaceRetainedDomains(db, origin, statuses, inChunks('replacing', names), isDryRun)
        : { added: await addNames(registry, names), removed: 0 };
      const published = await publishLists(registry, listsOf(statuses));
      const rejected = read.rejected.length;
      return {
        data: {
          read: names.length + rejected,
          added,
          removed,
          unchanged: names.length - added,
          rejected,
          rejected_file: rejectedFile ?? null,
          published,
          changed: added + removed > 0 && !isDryRun,
        },
        text:
          `${isDryRun ? 'would add' : 'added'} ${counted(added, 'name')}` +
          `${options.replace ? ` and remove${isDryRun ? '' : 'd'} ${removed}` : ''}, ` +
          `${names.length - added} there already` +
          `${rejectedFile === undefined ? '' : `; ${counted(rejected, 'row')} rejected, see ${rejectedFile}`}` +
          publishedText(published),
      };
    }),
  );

function rowReader(status: RetainedStatus | undefined): RowReader<RetainedDomain> {
  return {
    columns,
    read: (values) => ({
      ...parseDomainName(textField(values, 'name')),
      status: readStatus(values, status),
    }),
    key: (row) => `${row.name} (${row.status})`,
  };
}

function readStatus(
  values: Record<string, unknown>,
  told: RetainedStatus | undefined,
): RetainedStatus {
  const isGiven = values.status !== undefined && values.status !== '';
  if (!isGiven && told) return told;
  const text = textField(values, 'status');
  const status = retainedStatuses.find((known) => known === text);
  if (!status) {
    const message = `${JSON.stringify(text)} is neither ${retainedStatuses.join(' nor ')}`;
    throw new RegistryError('invalid', message, 'status');
  }
  if (told && status !== told) {
    throw new RegistryError('invalid', `is ${status}, where --status says ${told}`, 'status');
  }
  return status;
}

async function addNames(
  { db, origin, isDryRun }: Registry,
  names: RetainedDomain[],
): Promise<number> {
  let added = 0;
  for (const chunk of inChunks('importing', names)) {
    added += await addRetainedDomains(db, origin, chunk, isDryRun);
  }
  return added;
}
