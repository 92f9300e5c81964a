import { retainedStatuses } from '../../../drizzle/schema.ts';
import { parseDomainName } from '../../domain/name.ts';
import { RegistryError } from '../../error.ts';
import { type ListName, listsShowing } from '../../public-list/lists.ts';
import { addRetainedDomains } from '../../retained-domain/change.ts';
import type { RetainedDomain, RetainedStatus } from '../../retained-domain/list.ts';
import { type Replaced, replaceRetainedDomains } from '../../retained-domain/replace.ts';
import { nameColumn, textField } from '../file/field.ts';
import {
  importing,
  type ReadFile,
  type RowReader,
  readSettled,
  rejectedText,
} from '../file/import.ts';
import { inChunks } from '../progress.ts';
import { publishedText, publishLists } from '../publish.ts';
import type { Registry } from '../registry.ts';
import { type Report, runPrepared } from '../run.ts';
import { counted } from '../text.ts';
import { statusOption } from './status.ts';

const columns = {
  name: nameColumn,
  status: {
    note: `${retainedStatuses.join(' or ')}; required unless --status says it for all rows`,
    isRequired: false,
  },
};

export const importNames = importing(
  'Reserve or block the names of a file, and publish the lists',
  columns,
  'retained import names.csv',
  'retained import reserved.csv --status reserved --replace',
)
  .addOption(statusOption('what the names are, where the file has no column status'))
  .option('--replace', 'make the list (of that status, or both) equal to the file, in one step')
  .action((file, options) => {
    const reader = rowReader(options.status);
    const statuses = options.status ? ([options.status] as const) : retainedStatuses;
    return runPrepared(
      options,
      () => readSettled(file, options, reader),
      async (registry, { read, rejectedFile }) => {
        const names = read.rows.map(({ row }) => row);
        const done = options.replace
          ? await replaceNames(registry, statuses, names)
          : { added: await addNames(registry, names), removed: 0 };
        const published = await publishLists(registry, listsShowing(statuses));
        return report(registry, read, { ...done, published, rejectedFile }, options.replace);
      },
    );
  });

interface Done {
  added: number;
  removed: number;
  published: ListName[];
  rejectedFile: string | undefined;
}

function report(
  { isDryRun }: Registry,
  { rows, rejected }: ReadFile<RetainedDomain>,
  { added, removed, published, rejectedFile }: Done,
  isReplaced: boolean | undefined,
): Report {
  const unchanged = rows.length - added;
  const adding = `${isDryRun ? 'would add' : 'added'} ${counted(added, 'name')}`;
  const removing = isReplaced ? ` and remove${isDryRun ? '' : 'd'} ${removed}` : '';
  return {
    data: {
      read: rows.length + rejected.length,
      added,
      removed,
      unchanged,
      rejected: rejected.length,
      rejected_file: rejectedFile ?? null,
      published,
      changed: added + removed > 0 && !isDryRun,
    },
    text:
      `${adding}${removing}, ${unchanged} there already` +
      rejectedText(rejected.length, rejectedFile) +
      publishedText(published),
  };
}

function rowReader(status: RetainedStatus | undefined): RowReader<RetainedDomain> {
  return {
    columns,
    read: (values) => ({
      ...parseDomainName(textField(values, 'name')),
      status: readStatus(values, status),
    }),
    keys: (row) => [`${row.name} (${row.status})`],
  };
}

function readStatus(
  values: Record<string, unknown>,
  told: RetainedStatus | undefined,
): RetainedStatus {
  const isGiven = (values.status ?? '') !== '';
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

function replaceNames(
  { db, origin, isDryRun }: Registry,
  statuses: readonly [RetainedStatus, ...RetainedStatus[]],
  names: RetainedDomain[],
): Promise<Replaced> {
  return replaceRetainedDomains(db, origin, statuses, inChunks('replacing', names), isDryRun);
}
