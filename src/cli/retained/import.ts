import { retainedStatuses } from '../../../drizzle/schema.ts';
import { parseDomainName } from '../../domain/name.ts';
import { RegistryError } from '../../error.ts';
import { listsShowing } from '../../public-list/lists.ts';
import { addRetainedDomains, countRetainedDomains } from '../../retained-domain/change.ts';
import type { RetainedDomain, RetainedStatus } from '../../retained-domain/list.ts';
import { type Replaced, replaceRetainedDomains } from '../../retained-domain/replace.ts';
import { nameColumn, requiredText } from '../file/field.ts';
import { importing, replaceOption } from '../file/importing.ts';
import { settleNames } from '../file/names-import.ts';
import { type ReadFile, type RowReader, readImport } from '../file/read-import.ts';
import { rejectedText } from '../file/rejected.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
import { confirmRemovals, maxRemovalsOption } from '../removals.ts';
import { type Report, runPrepared } from '../run.ts';
import { counted, did } from '../text.ts';
import { statusOption } from './status.ts';

const columns = {
  name: nameColumn,
  status: {
    note: `${retainedStatuses.join(' or ')}; required unless --status gives it for all rows`,
    isRequired: false,
  },
};

export const command = importing(
  columns,
  'retained import names.csv',
  'retained import reserved.csv --status reserved --replace',
)
  .addOption(statusOption('the status of rows without one'))
  .addOption(
    replaceOption('make the list (of that status, or both) equal to the file, in one step'),
  )
  .addOption(maxRemovalsOption())
  .action((file, options) => {
    const reader = rowReader(options.status);
    const statuses = options.status ? ([options.status] as const) : retainedStatuses;
    return runPrepared(
      options,
      () => readImport(file, options, reader),
      async (registry, read) => {
        const { names, rejectedFile } = await settleNames(registry, read, options);
        const changes = options.replace
          ? await replaceNames(registry, { statuses, names }, options)
          : { added: await addNames(registry, names) };
        return {
          ...reportOf(registry, read, { ...changes, rejectedFile }),
          publish: listsShowing(statuses),
        };
      },
    );
  });

interface Changes {
  added: number;
  /** Only a replacement removes names. */
  removed?: number;
  rejectedFile: string | undefined;
}

function reportOf(
  registry: Registry,
  { rows, rejected }: ReadFile<RetainedDomain>,
  { added, removed, rejectedFile }: Changes,
): Report {
  const { isDryRun } = registry;
  const unchanged = rows.length - added;
  const removing = removed === undefined ? '' : ` and remove${isDryRun ? '' : 'd'} ${removed}`;
  return {
    data: {
      read: rows.length + rejected.length,
      added,
      removed: removed ?? 0,
      unchanged,
      rejected: rejected.length,
      rejected_file: rejectedFile ?? null,
      changed: added + (removed ?? 0) > 0 && !isDryRun,
    },
    text:
      `${did('add', registry)} ${counted(added, 'name')}${removing}, ${unchanged} already there` +
      rejectedText(rejected.length, rejectedFile),
  };
}

/** Reads names whose rows may leave out the status if --status gives it. */
function rowReader(status: RetainedStatus | undefined): RowReader<RetainedDomain> {
  return {
    columns,
    read: (values) => ({
      ...parseDomainName(requiredText(values, 'name')),
      status: readStatus(values, status),
    }),
    keys: (row) => [`${row.name} (${row.status})`],
  };
}

function readStatus(
  values: Record<string, unknown>,
  option: RetainedStatus | undefined,
): RetainedStatus {
  const isGiven = (values.status ?? '') !== '';
  if (!isGiven && option) return option;
  const text = requiredText(values, 'status');
  const status = retainedStatuses.find((known) => known === text);
  if (!status) {
    const message = `${JSON.stringify(text)} is neither ${retainedStatuses.join(' nor ')}`;
    throw new RegistryError('invalid', message, 'status');
  }
  if (option && status !== option) {
    throw new RegistryError('invalid', `is ${status}, but --status is ${option}`, 'status');
  }
  return status;
}

async function addNames(
  { db, origin, isDryRun }: Registry,
  names: RetainedDomain[],
): Promise<number> {
  let added = 0;
  for (const chunk of inChunks('importing', names)) {
    added += await addRetainedDomains(db, origin, chunk, { isDryRun });
  }
  return added;
}

interface Replacement {
  statuses: readonly [RetainedStatus, ...RetainedStatus[]];
  names: RetainedDomain[];
}

/** Asks before many names go; a dry run only counts. */
async function replaceNames(
  { db, origin, isDryRun }: Registry,
  { statuses, names }: Replacement,
  options: Parameters<typeof confirmRemovals>[1],
): Promise<Replaced> {
  const counts = await replaceRetainedDomains(db, origin, statuses, [names], { isDryRun: true });
  if (isDryRun) return counts;
  const total = await countRetainedDomains(db, statuses);
  const one = statuses.length === 1 ? `${statuses[0]} name` : 'name';
  await confirmRemovals({ removed: counts.removed, total, one }, options);
  return replaceRetainedDomains(db, origin, statuses, inChunks('replacing', names));
}
