import { hash } from 'node:crypto';
import { Option } from '@commander-js/extra-typings';
import { retainedStatuses } from '../../../../drizzle/schema.ts';
import { everyRow } from '../../../base/database/every-row.ts';
import type { Database } from '../../../base/database/open.ts';
import { nameRulesOf } from '../../../base/env.ts';
import { RegistryError } from '../../../base/error.ts';
import { listsShowing } from '../../../list/lists.ts';
import { parseDomainName } from '../../../name/domain/operator/name.ts';
import { findRuleProblems } from '../../../name/domain/rules.ts';
import type { RetainedDomain, RetainedStatus } from '../../../name/retained/list.ts';
import {
  addRetainedDomains,
  countRetainedDomains,
} from '../../../name/retained/operator/change-names.ts';
import { checkDay } from '../../../name/retained/operator/dispute.ts';
import { listRetainedDomains } from '../../../name/retained/operator/list.ts';
import {
  readUsedPasswords,
  replaceRetainedDomains,
} from '../../../name/retained/operator/replace.ts';
import { hasEnded } from '../../../name/retained/save.ts';
import { retainedView } from '../../../view/retained.ts';
import { countText } from '../../../view/text.ts';
import { nameColumn, optionalPassword, optionalText, requiredText } from '../../files/field.ts';
import type { Values } from '../../files/format.ts';
import { type Import, runImport, writeInChunks } from '../../files/import.ts';
import { importCommand, replaceOption } from '../../files/importing.ts';
import { exportCommand, exportRows } from '../../files/write.ts';
import type { Registry } from '../../registry.ts';
import { confirmedRemoval, maxRemovalsOption, type RemovalOptions } from '../../report/confirm.ts';
import { verb } from '../../run.ts';

export const statusOption = (description: string) =>
  new Option('--status <status>', description).choices(retainedStatuses);

const columns = {
  name: nameColumn,
  status: {
    note: `${retainedStatuses.join(' or ')}; required unless --status gives it for all rows`,
  },
  password: {
    note: 'with which a reserved name may be registered; without one, a name keeps what it has',
  },
  last_day: {
    note: 'the last day on which a name is reserved, YYYY-MM-DD, in UTC; without one, the same',
  },
  comment: { note: 'why, for staff alone; a name that is there keeps its own' },
};

/** Rows need no status if the options have it. With --replace, the lists become equal to the file. */
export function retainedImport(
  options: RemovalOptions & { status?: RetainedStatus; lastDay?: string; replace?: true },
): Import<RetainedDomain, 'added' | 'updated' | 'removed'> {
  const { status, lastDay, replace } = options;
  return {
    columns,
    isWhole: replace === true,
    listed: Object.keys(retainedView.columns),
    read(values) {
      const name = parseDomainName(requiredText(values, 'name'));
      const own = readStatus(values, status);
      const last_day = values.last_day || (own === 'reserved' ? lastDay : undefined);
      return { ...name, ...readReservation({ ...values, last_day }, own) };
    },
    key: (row) => `${row.name} (${row.status})`,
    findProblems: async ({ env }, names) => findRuleProblems(names, nameRulesOf(env)),
    async write(registry, rows) {
      const usedPasswords = await readUsedPasswords(registry.db);
      const isUsed = ({ name, password }: RetainedDomain) =>
        typeof password === 'string' &&
        usedPasswords.get(name)?.includes(hash('sha256', password, 'hex')) === true;
      // Ended reservations would be public until the cron removes them.
      const current = rows.filter((row) => !hasEnded(row, registry.origin.request.at));
      const names = current.map((row) => (isUsed(row) ? { ...row, password: undefined } : row));
      const writeNames = replace ? replaceNames : addNames;
      const counts = await writeNames(registry, names, options);
      const unchanged = names.length - counts.added - counts.updated;
      const [over, used] = [rows.length - current.length, current.filter(isUsed).length];
      return { ...counts, unchanged, over, used };
    },
    text: ({ added, updated, removed, unchanged, over, used }, { isDryRun, did }) =>
      `${did('add')} ${countText(added, 'name')}` +
      (replace ? ` and remove${isDryRun ? '' : 'd'} ${removed}` : '') +
      `${updatedText(updated, isDryRun)}, ${unchanged} already there${overText(over)}${usedText(used)}`,
    publish: listsShowing(statusesOf(status)),
  };
}

const addNames = (registry: Registry, names: readonly RetainedDomain[]) =>
  writeInChunks(
    registry,
    { label: 'importing', rows: names },
    { added: 0, updated: 0, removed: 0 },
    async (chunk) => ({ ...(await addRetainedDomains(registry, chunk)), removed: 0 }),
  );

function replaceNames(
  registry: Registry,
  names: readonly RetainedDomain[],
  options: RemovalOptions & { status?: RetainedStatus },
) {
  const statuses = statusesOf(options.status);
  const one = statuses.length === 1 ? `${statuses[0]} name` : 'name';
  const all = { one, countAll: () => countRetainedDomains(registry.db, statuses) };
  return confirmedRemoval(registry, options, all, (operation) => {
    const replace = () => replaceRetainedDomains(operation, statuses, names);
    const { batches } = operation.isDryRun ? {} : registry;
    return batches ? batches.write(names.length, replace) : replace();
  });
}

export const updatedText = (updated: number, isDryRun: boolean) =>
  updated === 0 ? '' : `, ${isDryRun ? 'update' : 'updated'} ${updated}`;

const overText = (over = 0) =>
  over === 0 ? '' : `; left out ${countText(over, 'name')} whose last day is over`;

const usedText = (used = 0) =>
  used === 0 ? '' : `; did not take ${countText(used, 'password')} that a registration has used up`;

/** Only a reserved name has password and last day. */
export function readReservation(values: Values, status: RetainedStatus) {
  const password = optionalPassword(values);
  const lastDay = optionalText(values, 'last_day');
  const comment = optionalText(values, 'comment');
  const [field] = Object.entries({ password, last_day: lastDay }).find(([, text]) => text) ?? [];
  if (field !== undefined && status !== 'reserved') {
    throw new RegistryError('invalid', `a ${status} name has no ${field}`, field);
  }
  if (lastDay !== undefined) checkDay(lastDay, 'last_day');
  return { status, password, lastDay, comment };
}

const statusesOf = (status: RetainedStatus | undefined) =>
  status ? ([status] as const) : retainedStatuses;

function readStatus(values: Values, option: RetainedStatus | undefined): RetainedStatus {
  const text = optionalText(values, 'status') ?? option ?? requiredText(values, 'status');
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

export const retainedImportVerb = importCommand(
  columns,
  'retained import names.csv',
  'retained import reserved.csv --status reserved --replace',
)
  .description('Reserve or block the names in a file and publish the lists')
  .addOption(statusOption('the status of rows without one'))
  .option('--last-day <day>', 'the last day of reserved names without one')
  .addOption(
    replaceOption('make the list (of that status, or both) equal to the file, in one step'),
  )
  .addOption(maxRemovalsOption())
  .action((file, options) => runImport(file, options, retainedImport(options)));

export const retainedExportVerb = verb(
  exportCommand('retained export names.csv --status reserved')
    .description('Write reserved and blocked names to a file for retained import')
    .addOption(statusOption('only names with this status')),
  async ({ db }, file, options) => {
    const names = everyName(db, options.status);
    return exportRows(
      { file, ...options },
      columns,
      names,
      ({ name, status, password, lastDay, comment }) => {
        return { name, status, password, last_day: lastDay, comment };
      },
    );
  },
);

export function everyName(
  db: Database,
  status: RetainedStatus | undefined,
): AsyncGenerator<RetainedDomain> {
  return everyRow<RetainedDomain>((page) => listRetainedDomains(db, { status, page }));
}
