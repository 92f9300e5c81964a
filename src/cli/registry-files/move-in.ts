import { Option } from '@commander-js/extra-typings';
import { elementsOf, type Form, type Kind, partRows } from '../../move-in/kind.ts';
import { registrarKind } from '../../move-in/registrars.ts';
import type { RowChange } from '../../move-in/write.ts';
import { listNames } from '../../public-list/lists.ts';
import { writing } from '../command.ts';
import { writeFileRows } from '../file/write.ts';
import type { Registry } from '../registry.ts';
import { noteCommandProgress } from '../report/command-progress.ts';
import {
  confirm,
  confirmRemovals,
  maxRemovalsOption,
  type RemovalOptions,
} from '../report/confirm.ts';
import { counted, table } from '../report/text.ts';
import { verb } from '../run.ts';
import { ignoredText, openDirectory, reportName } from './directory.ts';
import { findingColumns } from './findings.ts';
import { performPlan } from './perform.ts';
import { planMove } from './plan.ts';
import { Staging } from './staging.ts';

export const moveInCommand = verb(
  writing('move-in', 'move-in files --dry-run', 'move-in files --orphans-to REGISTRY')
    .description('Make the registry equal to a directory of files from another registry')
    .argument('<directory>', 'the directory of the files, each of which may be missing')
    .option(
      '--orphans-to <code>',
      'the registrar that gets the contacts and domains of one that is gone',
    )
    .addOption(
      new Option(
        '--theirs [kind:key]',
        'settle conflicts by the files, all or that of one row, such as contacts:ALPHA:1; may be repeated',
      ).argParser(
        (place, before?: true | string[]): true | string[] =>
          before === true || [...(before ?? []), place],
      ),
    )
    .addOption(maxRemovalsOption())
    .addHelpText(
      'after',
      `
Rows that are here and not in a file are removed, if an earlier move-in brought them and nobody else has changed them
since; otherwise they are conflicts. ${reportName}.csv in the directory names every value that was changed, or carried
although today's rules refuse it, every row that was refused, and every conflict. Repeat the command with newer files as
often as you like.`,
    ),
  async (registry, name, options) => {
    using staging = new Staging();
    const directory = openDirectory(name);
    noteCommandProgress({ isChanged: 'no' });
    const { orphansTo, theirs } = options;
    const now = registry.origin.request.at;
    const unchanged = await planMove(registry.db, { staging, directory, now, orphansTo, theirs });
    const report = directory.fileOf(reportName);
    const writeReport = () =>
      writeFileRows(report, 'csv', fileRows(staging), { columns: [...findingColumns] });
    // It also says what a run that ends early has found.
    await writeReport();
    if (!registry.isDryRun) {
      const skipped = await perform(registry, staging, [...unchanged.keys()], options);
      if (skipped > 0) await writeReport();
    }
    const { isDryRun } = registry;
    const { ignored } = directory;
    const kinds = [...unchanged].map(([kind, count]) => summaryOf(staging, kind, count));
    const counts = ['added', 'updated', 'removed', 'unchanged', 'conflicts', 'refused'] as const;
    const causes = staging.findings.causes();
    const isChange = kinds.some(({ added, updated, removed }) => added + updated + removed > 0);
    const text = [
      ...(isDryRun ? ['nothing is changed; this is what would be:'] : []),
      table(kinds, 'the files hold nothing', ['kind', ...counts]),
      ...causes.map(({ file, done, column, why, count }) => {
        const where = [`${file}.csv`, ...(column === null ? [] : [column])].join(' ');
        return `${done}: ${counted(count, 'line')} of ${where}: ${why}`;
      }),
      ...ignoredText(ignored),
      `every line: ${report}`,
    ];
    return {
      data: { kinds, causes, ignored, report, changed: isChange && !isDryRun },
      text: text.join('\n'),
      publish: listNames,
    };
  },
);

function* fileRows(staging: Staging) {
  for (const finding of staging.findings.list()) yield { ...finding, file: `${finding.file}.csv` };
}

/** Asks before much is removed or anybody is let in, and makes the planned changes. Returns how many were skipped. */
async function perform(
  registry: Registry,
  staging: Staging,
  kinds: readonly Kind[],
  options: RemovalOptions,
): Promise<number> {
  const each = kinds.flatMap((kind) => removalsOf(staging, kind));
  const sum = (count: 'removed' | 'total') => each.reduce((all, kind) => all + kind[count], 0);
  const all = { removed: sum('removed'), total: sum('total') };
  await confirmRemovals({ ...all, one: 'row', kinds: each }, options);
  const settled = staging.findings.countSettled();
  if (settled > 0 && !options.yes) {
    const statement = `This overwrites ${counted(settled, 'row')} changed, deleted or made here, which ${reportName}.csv names.`;
    await confirm(statement);
  }
  const opened = openedRegistrars(staging);
  if (opened.length > 0 && !options.yes) {
    const statement = `This lets the registrars ${opened.join(', ')} call from every address.`;
    await confirm(statement);
  }
  noteCommandProgress({ isChanged: 'perhaps', lists: listNames });
  return performPlan(registry, staging);
}

/** The codes of the registrars that lose their last address. */
function openedRegistrars(staging: Staging): string[] {
  const isOpen = (form: Form) => elementsOf(form, 'allowed_ips').length === 0;
  return [...staging.changes(registrarKind, 'update')]
    .filter(({ from, to }) => !isOpen(from!) && isOpen(to!))
    .map(({ key }) => key);
}

/** Counts the stored rows of a kind and the elements of their lists, all of them and those to go. */
function removalsOf(staging: Staging, kind: Kind) {
  const { name, part } = kind;
  const rows = { name, removed: staging.changes(kind, 'remove').length, total: 0 };
  const elements = { name: part?.file ?? '', removed: 0, total: 0 };
  const textsOf = (form: Form) =>
    part ? partRows(part, kind, form).map((row) => JSON.stringify(row)) : [];
  for (const { stored } of staging.rows(kind)) {
    if (!stored) continue;
    rows.total += 1;
    elements.total += textsOf(stored).length;
  }
  for (const { from, to } of part ? staging.changes(kind, 'update') : []) {
    const kept = new Set(textsOf(to!));
    elements.removed += textsOf(from!).filter((text) => !kept.has(text)).length;
  }
  return part ? [rows, elements] : [rows];
}

/** The changes that were made, or would be, to the rows of a kind. */
function summaryOf(staging: Staging, kind: Kind, unchanged: number) {
  const count = (action: RowChange['action']) => staging.changes(kind, action).length;
  const { conflicts, refused } = staging.findings.counts(kind.name);
  return {
    kind: kind.name,
    added: count('add'),
    updated: count('update') + count('replace'),
    removed: count('remove'),
    unchanged,
    conflicts,
    refused,
  };
}
