import { statSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../../base/database/open.ts';
import { currentTime } from '../../base/time/clock.ts';
import type { Origin } from '../../change/write.ts';
import { bare, usageError } from '../command.ts';
import { writeFileRows } from '../files/write.ts';
import { openFile } from '../local/file.ts';
import { applyMigrations } from '../migrate.ts';
import { writeBackup } from '../nouns/backup/file.ts';
import { operatorName } from '../registry.ts';
import { inChunks } from '../report/progress.ts';
import { counted, table } from '../report/text.ts';
import { report } from '../run.ts';
import { ignoredText, openDirectory, reportName } from './directory.ts';
import type { Kind, Lists } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { addForms, completeForm } from './kinds/rows.ts';
import { type Finding, findingColumns, stageFiles } from './stage.ts';
import { Staging } from './staging.ts';

/** Shown also for the options of earlier releases, which changed a registry. */
const usage =
  'move-in writes a file: move-in DIRECTORY --to FILE; then restore FILE, with --remote or --persist-to, takes it in';

export const moveInCommand = bare(
  'move-in',
  'move-in files --dry-run',
  'move-in files --to registry.sqlite --orphans-to REGISTRY',
)
  .description('Write a backup file with the rows of another registry, for restore')
  .argument('<directory>', 'the directory of the files, each of which may be missing')
  .option('--to <file>', 'the backup file to write; it must not exist yet')
  .option(
    '--orphans-to <code>',
    'the registrar that gets the contacts and domains of one that is gone',
  )
  .option('--dry-run', 'write the report alone')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
No registry is touched: restore takes the file in, and reconcile compares it with the directory. ${reportName}.csv in
the directory names every value that was changed, or carried although today's rules refuse it, and every row that was
refused. Rehearse it as often as you like.`,
  )
  .showHelpAfterError(usage)
  .action(async (name, { to, orphansTo, dryRun, json }) => {
    if (!dryRun && to === undefined) throw usageError(usage);
    await report({ ...(json && { json }), dryRun: dryRun ?? false }, async () => {
      using staging = new Staging();
      const directory = openDirectory(name);
      const found = new Map<string, number>();
      const report = directory.fileOf(reportName);
      const stage = () => {
        const lines = reportLines(stageFiles({ staging, directory, orphansTo }), found);
        return writeFileRows(report, 'csv', lines, { columns: findingColumns });
      };
      const target = dryRun ? null : path.resolve(to!);
      if (target === null) await stage();
      else {
        const fill = async (file: string) => {
          await stage();
          const { database, close } = openFile(file, { isWritable: true });
          await applyMigrations(database);
          await writeRows(database, staging);
          close();
        };
        await writeBackup(target, fill, { writtenBy: 'move-in' });
      }
      const causes = [...found]
        .map(([cause, count]) => ({ ...(JSON.parse(cause) as Cause), count }))
        .sort((one, other) => other.count - one.count);
      const counts = kinds.flatMap((kind) => {
        const added = staging.rows(kind).length;
        const refused = causes
          .filter(({ file, done }) => file === kind.name && done === 'refused')
          .reduce((sum, { count }) => sum + count, 0);
        return added + refused > 0 ? [{ kind: kind.name, added, refused }] : [];
      });
      const { ignored } = directory;
      const text = [
        ...(target === null ? ['no file is written; this is what it would hold:'] : []),
        table(counts, 'the files hold nothing', ['kind', 'added', 'refused']),
        ...causes.map(({ file, done, column, why, count }) => {
          const where = [`${file}.csv`, ...(column === null ? [] : [column])].join(' ');
          return `${done}: ${counted(count, 'line')} of ${where}: ${why}`;
        }),
        ...ignoredText(ignored),
        `every line: ${report}`,
        ...(target === null ? [] : [`wrote ${target} (${statSync(target).size} bytes)`]),
      ];
      const data = { kinds: counts, causes, ignored, report, file: target };
      return { data, text: text.join('\n') };
    });
  });

const causeOf = ({ file, done, column = null, why }: Finding) => ({ file, done, column, why });
type Cause = ReturnType<typeof causeOf>;

/** The findings as lines of the report; counts those with the same cause. */
async function* reportLines(findings: AsyncIterable<Finding>, causes: Map<string, number>) {
  for await (const finding of findings) {
    const cause = JSON.stringify(causeOf(finding));
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
    yield { ...finding, file: `${finding.file}.csv` };
  }
}

/** Adds the rows of all kinds to an empty registry, as changes of one request. */
async function writeRows(binding: D1Database, staging: Staging): Promise<void> {
  const db = openDatabase(binding);
  const at = currentTime();
  const actor = { type: 'move_in', name: `move-in (Operator ${operatorName()})` } as const;
  const origin: Origin = { actor, request: { at, requestId: crypto.randomUUID() } };
  for (const kind of kinds.filter(({ subject }) => subject)) {
    for (const chunk of inChunks(`adding ${kind.name}`, staging.rows(kind))) {
      const rows = chunk.map(async (form) => {
        const complete = completeForm(kind, form, at);
        const settled = (await kind.settle?.(complete, undefined)) ?? complete;
        return { form: settled, lists: listsOf(staging, kind, form[kind.key[0]!]!) };
      });
      await addForms(db, origin, kind, await Promise.all(rows));
    }
  }
}

/** The lists of a row, from the rows of the parts of its kind. */
function listsOf(staging: Staging, { name }: Kind, key: string): Lists {
  const lists: Lists = {};
  for (const one of kinds) {
    if (one.part?.of !== name) continue;
    const names = one.part.lists;
    for (const list of names) lists[list] = [];
    for (const form of staging.owned(one, key)) {
      // The key is the owner, the element, and the list if there are several.
      const [, element, list] = one.key.map((column) => form[column]!);
      lists[list ?? names[0]!]!.push(element!);
    }
  }
  return lists;
}
