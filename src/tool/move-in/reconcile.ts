import { createHash } from 'node:crypto';
import path from 'node:path';
import { openDatabase } from '../../base/database/open.ts';
import { bare } from '../command.ts';
import { Spool } from '../files/spool.ts';
import { openFile } from '../local/file.ts';
import { readSeal } from '../nouns/backup/file.ts';
import { counted, table } from '../report/text.ts';
import { report } from '../run.ts';
import { ignoredText, openDirectory, reportName } from './directory.ts';
import { type Form, type Kind, keyOf } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { isOver } from './kinds/reader.ts';
import { readForms } from './kinds/rows.ts';
import { stageFiles } from './stage.ts';
import { Staging } from './staging.ts';

/** Differences that the terminal shows. */
const shownDifferences = 100;

export const reconcileCommand = bare(
  'reconcile',
  'reconcile files registry.sqlite',
  'reconcile files registry.sqlite --json',
)
  .description('Prove that a backup file is equal to the files that moved in')
  .argument('<directory>', 'the directory that was moved in')
  .argument('<file>', 'the file that move-in has written, or any backup')
  .option('--orphans-to <code>', 'the registrar that move-in gave orphans to')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
The digest of a kind is SHA-256 over all its rows in the order of their keys: equal digests are equal rows, passwords
included. The exit status is 0 if everything is equal, or if ${reportName}.csv in the directory names every difference
as refused; otherwise 1. A report that is older than one of the files excuses nothing. A row that is over need not be in the
file. Values are not shown.`,
  )
  .showHelpAfterError(
    'reconcile compares files with a backup: reconcile DIRECTORY FILE, where FILE is from move-in or backup',
  )
  .action(async (name, given, { orphansTo, json }) => {
    const file = path.resolve(given);
    await report(json ? { json } : {}, async () => {
      await readSeal(file);
      using staging = new Staging();
      const directory = openDirectory(name);
      const db = openDatabase(openFile(file).database);
      const differences: Difference[] = [];
      const findings = stageFiles({ staging, directory, orphansTo });
      for await (const { file, key, column, done, why } of findings) {
        if (done !== 'refused' || why === isOver) continue;
        // A report that is not older than the files has found the same.
        const found = { file: `${file}.csv`, key, reported: directory.hasReport };
        differences.push({ ...found, difference: done, columns: column ? [column] : [] });
      }
      const summaries: Summary[] = [];
      for (const kind of kinds.filter((one) => directory.has(one.name))) {
        using stored = new Spool<Form>();
        for await (const form of readForms(db, kind)) stored.set(keyOf(kind, form), form);
        summaries.push(await compare(kind, staging, stored, differences));
      }
      const unreported = differences.filter(({ reported }) => !reported).length;
      if (unreported > 0) process.exitCode = 1;
      const data = {
        differences,
        kinds: summaries,
        not_compared: kinds.map((kind) => kind.name).filter((kind) => !directory.has(kind)),
        ignored: directory.ignored,
        unreported,
        equal: differences.length === 0,
      };
      return { data, text: textOf(data) };
    });
  });

interface Difference {
  /** The name of the file. */
  file: string;
  /** Null for a line that names none. */
  key: string | null;
  difference: 'refused' | 'only in the files' | 'only here' | 'other values';
  /** The columns that differ, or the one that is refused. */
  columns: string[];
  /** It is refused, as the report of the last move-in says. */
  reported: boolean;
}

type Summary = Awaited<ReturnType<typeof compare>>;

/**
 * Compares both sides of each row of a kind, adds what differs, and returns the numbers and the digests of the rows on
 * each side.
 */
async function compare(
  kind: Kind,
  staging: Staging,
  stored: Spool<Form>,
  differences: Difference[],
) {
  const columns = Object.keys(kind.columns);
  const [files, here] = [newSide(), newSide()];
  const byRegistrar: Record<string, { in_files: number; here: number }> = {};
  const add = (side: ReturnType<typeof newSide>, form: Form, name: 'in_files' | 'here') => {
    side.rows += 1;
    side.digest.update(JSON.stringify(columns.map((column) => form[column] ?? null)));
    const { registrar } = form;
    if (!registrar) return;
    byRegistrar[registrar] ??= { in_files: 0, here: 0 };
    byRegistrar[registrar][name] += 1;
  };
  const note = (form: Form, difference: Difference['difference'], columns: string[] = []) => {
    const key = keyOf(kind, form);
    differences.push({ file: `${kind.name}.csv`, key, difference, columns, reported: false });
  };
  for (const given of staging.forms(kind)) {
    const same = stored.get(keyOf(kind, given));
    // A column that the file lacks, or that was made here, is as it is stored.
    const whole = { ...same, ...given };
    const wanted = (await kind.settle?.(whole, same)) ?? whole;
    add(files, wanted, 'in_files');
    const others = columns.filter((name) => same && (wanted[name] ?? null) !== same[name]);
    if (!same) note(given, 'only in the files');
    else if (others.length > 0) note(given, 'other values', others);
  }
  for (const form of stored.values()) {
    const found = staging.find(kind.name, keyOf(kind, form));
    if (found?.isOver) continue;
    add(here, form, 'here');
    if (!found?.isGood) note(form, 'only here');
  }
  return {
    kind: kind.name,
    rows_in_files: files.rows,
    rows_here: here.rows,
    digest_of_files: files.digest.digest('hex'),
    digest_here: here.digest.digest('hex'),
    by_registrar: Object.fromEntries(
      Object.entries(byRegistrar).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
}

const newSide = () => ({ rows: 0, digest: createHash('sha256') });

function textOf(proof: {
  differences: readonly Difference[];
  kinds: readonly Summary[];
  not_compared: string[];
  ignored: string[];
  unreported: number;
}): string {
  const { differences, not_compared: others } = proof;
  const rows = proof.kinds.flatMap(({ by_registrar, ...whole }) => [
    { registrar: '', ...whole },
    ...Object.entries(by_registrar).map(([registrar, { in_files, here }]) => ({
      ...{ kind: whole.kind, registrar, rows_in_files: in_files, rows_here: here },
      ...{ digest_of_files: '', digest_here: '' },
    })),
  ]);
  const lines = differences
    .slice(0, shownDifferences)
    .map(({ file, key, difference, columns, reported }) => {
      const of = columns.length > 0 ? ` (${columns.join(', ')})` : '';
      return `${file} ${key ?? '-'}: ${difference}${of}${reported ? ', as reported' : ''}`;
    });
  const hidden = differences.length - lines.length;
  if (hidden > 0) lines.push(`${counted(hidden, 'more difference')}; --json shows all`);
  lines.push(...ignoredText(proof.ignored));
  if (others.length > 0) {
    lines.push(`not compared, because there is no file of them: ${others.join(', ')}`);
  }
  const end =
    differences.length === 0
      ? 'the backup is equal to the files'
      : `${counted(differences.length, 'difference')}, ${proof.unreported} of them not in ${reportName}.csv`;
  const columns = 'kind registrar rows_in_files rows_here digest_of_files digest_here'.split(' ');
  const shown = table(rows, 'the files hold nothing', columns);
  return [shown, ...lines, end].join('\n');
}
