import { statSync } from 'node:fs';
import path from 'node:path';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { currentTime } from '../../base/time/clock.ts';
import type { Origin } from '../../change/origin.ts';
import { countText } from '../../view/text.ts';
import { bare, parsePath, usageError } from '../command.ts';
import { writeFileRows } from '../files/write.ts';
import { openFile } from '../local/file.ts';
import { applyMigrations } from '../migrate.ts';
import { writeBackup } from '../nouns/backup/file.ts';
import { operatorName } from '../registry.ts';
import { inChunks } from '../report/progress.ts';
import { table } from '../report/table.ts';
import { type Report, report } from '../run.ts';
import { ignoredText, openDirectory, reportName } from './directory.ts';
import type { Kind, PartLists } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { isOver } from './kinds/reader.ts';
import { addForms, completeForm } from './kinds/rows.ts';
import { type Finding, findingColumns, formsIn, stageFiles } from './stage.ts';

const usage =
  'move-in writes a file: move-in DIRECTORY --to FILE; then restore FILE, with --remote or --persist-to, takes it in';

export const moveInCommand = bare(
  'move-in',
  'move-in files --dry-run',
  'move-in files --to registry.sqlite --fallback-registrar REGISTRY',
)
  .description('Write a backup file with the rows of another registry, for restore')
  .argument('<directory>', 'the directory of the files, each of which may be missing', parsePath)
  .option('--to <file>', 'the backup file to write; it must not exist yet', parsePath)
  .option(
    '--fallback-registrar <code>',
    'the registrar that gets the contacts and domains of one that is gone',
  )
  .option('--skip-invalid', 'write the file although rows are refused, without them')
  .option('--dry-run', 'write the report alone')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
No registry is touched: restore takes the file in, and reconcile compares it with the directory. ${reportName}.csv in
the directory names every value that was changed, or carried although today's rules refuse it, and every row that was
refused. Rehearse it as often as you like.`,
  )
  .action(async (name, { to, fallbackRegistrar, skipInvalid, dryRun, json }) => {
    if (!dryRun && to === undefined) throw usageError(usage);
    const target = dryRun ? null : path.resolve(to!);
    await report({ ...(json && { json }), dryRun: dryRun ?? false }, async () => {
      const directory = openDirectory(name);
      const { lines, findings } = await stageFiles(directory, fallbackRegistrar);
      const file = directory.fileOf(reportName);
      const rows = findings.map((finding) => ({ ...finding, file: `${finding.file}.csv` }));
      await writeFileRows(file, rows, { columns: findingColumns });
      const isRefused = ({ done, why }: Finding) => done === 'refused' && why !== isOver;
      const isWhole = skipInvalid === true || !findings.some(isRefused);
      if (!isWhole) process.exitCode = 1;
      const written = isWhole ? target : null;
      if (written !== null) await writeMoved(written, lines);
      return summary(findings, { lines, ignored: directory.ignored, file, written, isWhole });
    });
  });

interface Moved {
  lines: Lines;
  ignored: readonly string[];
  file: string;
  written: string | null;
  /** No row was refused, or refused rows may be skipped. */
  isWhole: boolean;
}

/** Begins with the refusals, and ends with the number of rows not moved. */
function summary(
  findings: readonly Finding[],
  { lines, ignored, file, written, isWhole }: Moved,
): Report {
  const causes = causesOf(findings);
  const counts = kinds.flatMap((kind) => {
    const added = formsIn(lines, kind).length;
    const isRefused = (one: Finding) => one.file === kind.name && one.done === 'refused';
    const refused = findings.filter(isRefused).length;
    return added + refused > 0 ? [{ kind: kind.name, added, refused }] : [];
  });
  const [refused, others] = ['refused', 'changed carried'].map((all) =>
    causes.filter(({ done }) => all.includes(done)).map(causeText),
  ) as [string[], string[]];
  const refusedCount = counts.reduce((sum, { refused }) => sum + refused, 0);
  const text = [
    ...refused,
    ...(written === null ? ['no file is written; this is what it would hold:'] : []),
    table(counts, 'the files hold nothing', ['kind', 'added', 'refused']),
    ...others,
    ...ignoredText(ignored),
    `every line: ${file}`,
    ...(written === null ? [] : [`wrote ${written} (${statSync(written).size} bytes)`]),
    `${countText(refusedCount, 'row stays', 'rows stay')} behind${isWhole ? '' : '; correct them, or pass --skip-invalid'}`,
  ];
  const data = { kinds: counts, causes, ignored, report: file, file: written, left: refusedCount };
  return { data, text };
}

function causeText({ file, done, column, why, count }: ReturnType<typeof causesOf>[number]) {
  const where = [`${file}.csv`, ...(column === null ? [] : [column])].join(' ');
  return `${done}: ${countText(count, 'line')} of ${where}: ${why}`;
}

async function writeMoved(target: string, lines: Lines): Promise<void> {
  const fill = async (partial: string) => {
    const { database, close } = openFile(partial, { isWritable: true });
    await applyMigrations(database);
    await writeRows(openDatabase(database), lines);
    close();
  };
  await writeBackup(target, fill, { writtenBy: 'move-in' });
}

function causesOf(findings: readonly Finding[]) {
  const causes = Map.groupBy(findings, ({ file, done, column, why }) =>
    [file, done, column, why].join('\n'),
  );
  return [...causes.values()]
    .map((same) => {
      const { file, done, column = null, why } = same[0]!;
      return { file, done, column, why, count: same.length };
    })
    .sort((one, other) => other.count - one.count);
}

type Lines = Parameters<typeof formsIn>[0];

async function writeRows(db: Database, lines: Lines): Promise<void> {
  const at = currentTime();
  const actor = { type: 'move_in', name: `move-in (Operator ${operatorName()})` } as const;
  const origin: Origin = { actor, request: { at, requestId: crypto.randomUUID() } };
  for (const kind of kinds.filter(({ subject }) => subject)) {
    const listsOf = listsIn(lines, kind);
    for (const chunk of inChunks(`adding ${kind.name}`, formsIn(lines, kind))) {
      const rows = chunk.map(async (given) => {
        const form = completeForm(kind, given, at);
        const lists = listsOf(given[kind.key[0]!]!);
        return { form: (await kind.settle?.(form, undefined)) ?? form, lists };
      });
      await addForms({ db, origin }, kind, await Promise.all(rows));
    }
  }
}

function listsIn(lines: Lines, { name }: Kind): (key: string) => PartLists {
  const one = kinds.find(({ part }) => part?.of === name);
  if (!one) return () => ({});
  const [owner, item, list] = one.key as [string, string, string?];
  const owned = Map.groupBy(formsIn(lines, one), (form) => form[owner]!);
  return (key) => {
    const forms = owned.get(key) ?? [];
    const elements = one.part!.lists.map((name) => {
      const own = forms.filter((form) => list === undefined || form[list] === name);
      return [name, own.map((form) => form[item]!).sort()];
    });
    return Object.fromEntries(elements);
  };
}
