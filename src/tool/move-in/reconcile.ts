import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { countText } from '../../view/text.ts';
import { bare, parsePath } from '../command.ts';
import { openFile } from '../local/file.ts';
import { readSeal } from '../nouns/backup/file.ts';
import { table } from '../report/table.ts';
import { report } from '../run.ts';
import { ignoredText, openDirectory, reportName } from './directory.ts';
import { type Form, formKey, type Kind } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { isOver } from './kinds/reader.ts';
import { readForms } from './kinds/rows.ts';
import { type Line, stageFiles } from './stage.ts';

const shownDifferences = 100;

export const reconcileCommand = bare(
  'reconcile',
  'reconcile files registry.sqlite',
  'reconcile files registry.sqlite --json',
)
  .description('Prove that a backup file is equal to the files that moved in')
  .argument('<directory>', 'the directory that was moved in', parsePath)
  .argument('<file>', 'the file that move-in has written, or any backup', parsePath)
  .option('--fallback-registrar <code>', 'the registrar of rows whose own does not exist')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
The digest of a kind is SHA-256 over all its rows in the order of the backup: equal digests are equal rows, passwords
included. The exit status is 0 if everything is equal, or if ${reportName}.csv in the directory names every difference
as refused; otherwise 1. A report that is older than one of the files excuses nothing. A row that is over need not be in the
file. Values are not shown.`,
  )
  .action(async (name, given, { fallbackRegistrar, json }) => {
    const file = path.resolve(given);
    await report(json ? { json } : {}, async () => {
      await readSeal(file);
      const directory = openDirectory(name);
      const { lines, findings } = await stageFiles(directory, fallbackRegistrar);
      const refused = findings.filter(({ done, why }) => done === 'refused' && why !== isOver);
      const differences = refused.map(({ file, key, column }): Difference => {
        const columns = column ? [column] : [];
        // A report that is not older than the files has the same findings.
        const reported = directory.hasReport;
        return { file: `${file}.csv`, key, difference: 'refused', columns, reported };
      });
      const db = openDatabase(openFile(file).database);
      const compared = [];
      for (const kind of kinds.filter((one) => directory.has(one.name))) {
        compared.push(await compare(db, kind, lines[kind.name]!, differences));
      }
      const others = kinds.map((kind) => kind.name).filter((kind) => !directory.has(kind));
      const unreported = differences.filter(({ reported }) => !reported).length;
      if (unreported > 0) process.exitCode = 1;
      const equal = differences.length === 0;
      const { ignored } = directory;
      const columns = 'kind rows_in_files rows_here digest_of_files digest_here'.split(' ');
      const hidden = differences.length - shownDifferences;
      const text = [
        table(compared, 'the files hold nothing', columns),
        ...differences.slice(0, shownDifferences).map(differenceText),
        ...(hidden > 0 ? [`${countText(hidden, 'more difference')}; --json shows all`] : []),
        ...ignoredText(ignored),
        ...(others.length > 0
          ? [`not compared, because there is no file of them: ${others.join(', ')}`]
          : []),
        equal
          ? 'the backup is equal to the files'
          : `${countText(differences.length, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
      ];
      const data = {
        differences,
        kinds: compared,
        not_compared: others,
        ignored,
        unreported,
        equal,
      };
      return { data, text };
    });
  });

interface Difference {
  file: string;
  /** Null for a line without a key. */
  key: string | null;
  difference: 'refused' | 'only in the files' | 'only here' | 'other values';
  /** The differing columns, or the refused one. */
  columns: string[];
  /** The last move-in's report has the refusal. */
  reported: boolean;
}

function differenceText({ file, key, difference, columns, reported }: Difference): string {
  const of = columns.length > 0 ? ` (${columns.join(', ')})` : '';
  return `${file} ${key ?? '-'}: ${difference}${of}${reported ? ', as reported' : ''}`;
}

/** Returns count and digest of the rows on each side. */
async function compare(
  db: Database,
  kind: Kind,
  lines: ReadonlyMap<string, Line>,
  differences: Difference[],
) {
  const columns = Object.keys(kind.columns);
  const [files, here] = [createHash('sha256'), createHash('sha256')];
  const counts = { kind: kind.name, rows_in_files: 0, rows_here: 0 };
  const contentOf = (form: Form) => JSON.stringify(columns.map((column) => form[column] ?? null));
  const note = (form: Form, difference: Difference['difference'], columns: string[] = []) => {
    const key = formKey(kind, form);
    differences.push({ file: `${kind.name}.csv`, key, difference, columns, reported: false });
  };
  const seen = new Set<Form>();
  for await (const stored of readForms(db, kind)) {
    const { form: given, isOver = false } = lines.get(formKey(kind, stored)) ?? {};
    // An ended row is no difference: the cron removes it at any time.
    if (isOver && !given) continue;
    counts.rows_here += 1;
    here.update(contentOf(stored));
    if (!given) {
      note(stored, 'only here');
      continue;
    }
    seen.add(given);
    // Columns that the file lacks, or that were made here, count as equal.
    const whole = { ...stored, ...given };
    const wanted = (await kind.settle?.(whole, stored)) ?? whole;
    files.update(contentOf(wanted));
    const others = columns.filter((name) => (wanted[name] ?? null) !== stored[name]);
    if (others.length > 0) note(given, 'other values', others);
  }
  for (const { form } of lines.values()) {
    if (!form) continue;
    counts.rows_in_files += 1;
    if (seen.has(form)) continue;
    files.update(contentOf(form));
    note(form, 'only in the files');
  }
  return { ...counts, digest_of_files: files.digest('hex'), digest_here: here.digest('hex') };
}
