import { Option } from '@commander-js/extra-typings';
import { retainedStatuses } from '../../../drizzle/schema.ts';
import type { Database } from '../../database/open.ts';
import { parseDomainName } from '../../domain/name.ts';
import { findZoneProblems } from '../../domain/zone.ts';
import { zonesOf } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { listsShowing } from '../../public-list/lists.ts';
import {
  addRetainedDomains,
  countRetainedDomains,
  removeRetainedDomains,
} from '../../retained-domain/change.ts';
import {
  listRetainedDomains,
  type RetainedDomain,
  type RetainedStatus,
} from '../../retained-domain/list.ts';
import { replaceRetainedDomains } from '../../retained-domain/replace.ts';
import { noun, reading, writing } from '../command.ts';
import { confirmedRemoval, maxRemovalsOption, type RemovalOptions } from '../confirm.ts';
import { exporting, exportRows } from '../file/exporting.ts';
import { nameColumn, requiredText } from '../file/field.ts';
import { type Import, importing, replaceOption, runImport, writeInChunks } from '../file/import.ts';
import { parseAnyNames, parseNames } from '../names.ts';
import { everyRow } from '../pages.ts';
import { inChunks } from '../progress.ts';
import { verb } from '../run.ts';
import { counted, table } from '../text.ts';

const statusOption = (description: string) =>
  new Option('--status <status>', description).choices(retainedStatuses);

const add = verb(
  writing('add', 'retained add riigikogu.ee õ.ee --status reserved')
    .description('Reserve or block names and publish the lists')
    .argument('<name...>', 'names in their Unicode form, lower case')
    .addOption(statusOption('the status to give them').makeOptionMandatory()),
  async ({ db, env, origin, isDryRun, did }, texts, options) => {
    const { status } = options;
    const names = parseNames(texts, env).map((name) => ({ ...name, status }));
    const added = await addRetainedDomains(db, origin, names, { isDryRun });
    const unchanged = names.length - added;
    return {
      data: { status, added, unchanged, changed: added > 0 && !isDryRun },
      text: `${did('add')} ${counted(added, `${status} name`)}, ${unchanged} already there`,
      publish: listsShowing([status]),
    };
  },
);

const remove = verb(
  writing('remove', 'retained remove riigikogu.ee --status reserved')
    .description('Release reserved or blocked names and publish the lists')
    .argument('<name...>', 'names in their Unicode form, lower case')
    .addOption(statusOption('the status to take from them').makeOptionMandatory())
    .addOption(maxRemovalsOption()),
  async (registry, texts, options) => {
    const { db, origin, isDryRun, did } = registry;
    const { status } = options;
    const one = `${status} name`;
    const names = parseAnyNames(texts).map((name) => ({ ...name, status }));
    const all = { one, countAll: () => countRetainedDomains(db, [status]) };
    const { removed } = await confirmedRemoval(registry, options, all, async (how) => ({
      removed: await removeRetainedDomains(db, origin, names, how),
    }));
    const unchanged = names.length - removed;
    return {
      data: { status, removed, unchanged, changed: removed > 0 && !isDryRun },
      text: `${did('remove')} ${counted(removed, one)}, ${unchanged} not there`,
      publish: listsShowing([status]),
    };
  },
);

const list = verb(
  reading('list', 'retained list --status blocked')
    .description('List reserved and blocked names')
    .addOption(statusOption('only names with this status')),
  async ({ db }, options) => {
    const names = await Array.fromAsync(everyName(db, options.status));
    return {
      data: {
        retained_domains: names.map(({ name, punycode, status }) => ({
          name,
          punycode_name: punycode,
          status,
        })),
      },
      text: table(names, 'there are no such names', {
        NAME: 'name',
        PUNYCODE: 'punycode',
        STATUS: 'status',
      }),
    };
  },
);

const columns = {
  name: nameColumn,
  status: {
    note: `${retainedStatuses.join(' or ')}; required unless --status gives it for all rows`,
    isRequired: false,
  },
};

/** The import of names, which may leave out the status if the options give it. */
export function retainedImport({
  status,
}: {
  status?: RetainedStatus | undefined;
}): Import<RetainedDomain, 'added' | 'removed'> {
  return {
    columns,
    read: (values) => ({
      ...parseDomainName(requiredText(values, 'name')),
      status: readStatus(values, status),
    }),
    keys: (row) => [`${row.name} (${row.status})`],
    findProblems: async ({ env }, names) => findZoneProblems(names, zonesOf(env)),
    write: ({ db, origin, isDryRun }, names) =>
      writeInChunks('importing', names, { added: 0, removed: 0, unchanged: 0 }, async (chunk) => {
        const added = await addRetainedDomains(db, origin, chunk, { isDryRun });
        return { added, removed: 0, unchanged: chunk.length - added };
      }),
    text: ({ added, unchanged }, { did }) =>
      `${did('add')} ${counted(added, 'name')}, ${unchanged} already there`,
    publish: listsShowing(statusesOf(status)),
  };
}

const statusesOf = (status: RetainedStatus | undefined) =>
  status ? ([status] as const) : retainedStatuses;

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

/** As `retainedImport`, but it makes the lists equal to the file. Asks before many names go; a dry run only counts. */
function retainedReplacement(
  options: RemovalOptions & { status?: RetainedStatus },
): Import<RetainedDomain, 'added' | 'removed'> {
  const statuses = statusesOf(options.status);
  return {
    ...retainedImport(options),
    async write(registry, names) {
      const { db, origin } = registry;
      const one = statuses.length === 1 ? `${statuses[0]} name` : 'name';
      const all = { one, countAll: () => countRetainedDomains(db, statuses) };
      const { added, removed } = await confirmedRemoval(registry, options, all, (how) => {
        const chunks = how.isDryRun ? names.chunks(1_000) : inChunks('replacing', names);
        return replaceRetainedDomains(db, origin, statuses, chunks, how);
      });
      return { added, removed, unchanged: names.length - added };
    },
    text: ({ added, removed, unchanged }, { isDryRun, did }) =>
      `${did('add')} ${counted(added, 'name')} and remove${isDryRun ? '' : 'd'} ${removed}, ` +
      `${unchanged} already there`,
  };
}

const importVerb = importing(
  columns,
  'retained import names.csv',
  'retained import reserved.csv --status reserved --replace',
)
  .description('Reserve or block the names in a file and publish the lists')
  .addOption(statusOption('the status of rows without one'))
  .addOption(
    replaceOption('make the list (of that status, or both) equal to the file, in one step'),
  )
  .addOption(maxRemovalsOption())
  .action((file, options) =>
    runImport(file, options, (options.replace ? retainedReplacement : retainedImport)(options)),
  );

const exportVerb = verb(
  exporting('retained export names.csv --status reserved')
    .description('Write reserved and blocked names to a file for retained import')
    .addOption(statusOption('only names with this status')),
  async ({ db }, file, options) => {
    async function* rows() {
      for await (const { name, status } of everyName(db, options.status)) yield { name, status };
    }
    return exportRows(file, options, rows(), Object.keys(columns));
  },
);

/** By name and status. */
function everyName(
  db: Database,
  status: RetainedStatus | undefined,
): AsyncGenerator<RetainedDomain> {
  return everyRow<RetainedDomain, RetainedDomain>(
    (page) => listRetainedDomains(db, { status, page }),
    (last) => last,
  );
}

export const retainedCommand = noun(
  'retained',
  'retained add riigikogu.ee õ.ee --status reserved',
  [add, remove, list, importVerb, exportVerb],
);
