import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Database, openDatabase } from '../../database/open.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { readForms } from '../../move-in/rows.ts';
import { currentTime } from '../../time/clock.ts';
import { bare } from '../command.ts';
import { openFile } from '../local/file.ts';
import { readSeal } from '../nouns/backup/seal.ts';
import { writeOutput } from '../report/output.ts';
import { counted, table } from '../report/text.ts';
import { report } from '../run.ts';
import {
  checkNoRegistry,
  formerOptions,
  ignoredText,
  openDirectory,
  reportName,
} from './directory.ts';
import { isOver, type Move, stageFiles } from './stage.ts';
import { Staging } from './staging.ts';

/** Differences that the terminal shows. */
const shownDifferences = 100;

const command = bare(
  'reconcile',
  'reconcile files registry.sqlite',
  'reconcile files registry.sqlite --json',
)
  .description('Prove that a backup file is equal to the files that moved in')
  .argument('<directory>', 'the directory that was moved in')
  .argument('[file]', 'the file that move-in has written, or any backup')
  .option('--orphans-to <code>', 'the registrar that move-in gave orphans to')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
The digest of a kind is SHA-256 over all its rows in the order of their keys: equal digests are equal rows, passwords
included. The exit status is 0 if everything is equal, or if ${reportName}.csv in the directory names every difference
as refused; otherwise 1. A report that is older than one of the files excuses nothing. A row that is over need not be in the
file. Values are not shown.`,
  );
for (const option of formerOptions) command.addOption(option);

export const reconcileCommand = command.action(async (name, given, options) => {
  const { orphansTo, json, ...former } = options;
  const sentence =
    'reconcile compares with a file now: reconcile DIRECTORY FILE, where FILE is from move-in --to or from backup';
  checkNoRegistry(former, given, sentence);
  const file = path.resolve(given!);
  await report(json ? { json } : {}, async () => {
    await readSeal(file);
    using staging = new Staging();
    const directory = openDirectory(name);
    const { database } = openFile(file);
    const summaries: Summary[] = [];
    let all = 0;
    let unreported = 0;
    const shown: Difference[] = [];
    if (json) await writeOutput('{"differences":[');
    const move = { staging, directory, now: currentTime(), orphansTo };
    for await (const difference of differences(openDatabase(database), move, summaries)) {
      if (json) await writeOutput(`${all > 0 ? ',' : ''}${JSON.stringify(difference)}`);
      else if (all < shownDifferences) shown.push(difference);
      all += 1;
      if (!difference.reported) unreported += 1;
    }
    if (unreported > 0) process.exitCode = 1;
    const others = kinds.map(({ name }) => name).filter((name) => !directory.has(name));
    const { ignored } = directory;
    const data = { kinds: summaries, not_compared: others, ignored, unreported, equal: all === 0 };
    if (!json) return { data, text: textOf(data, shown, all) };
    await writeOutput(`],${JSON.stringify(data).slice(1)}\n`);
    return undefined;
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

/** Yields the rows that are refused, compares the kinds that the directory has, and adds their summaries. */
async function* differences(
  db: Database,
  move: Move,
  summaries: Summary[],
): AsyncGenerator<Difference> {
  const { staging, directory } = move;
  for await (const { file, key, column, done, why } of stageFiles(move)) {
    if (done !== 'refused' || why === isOver) continue;
    // A report that is not older than the files has found the same.
    const found = { file: `${file}.csv`, key, reported: directory.hasReport };
    yield { ...found, difference: done, columns: column ? [column] : [] };
  }
  for (const kind of kinds) {
    if (!directory.has(kind.name)) continue;
    for await (const form of readForms(db, kind)) staging.addStored(kind, form);
    summaries.push(yield* compare(staging, kind));
  }
}

type Summary = ReturnType<typeof compare> extends AsyncGenerator<unknown, infer One> ? One : never;

/** Compares both sides of each row of a kind, and returns the numbers and the digests of the rows on each side. */
async function* compare(staging: Staging, kind: Kind) {
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
  for (const { key, given, stored } of staging.pairs(kind)) {
    // A column that the file lacks, or that was made here, is as it is stored.
    const whole = given && { ...stored, ...given };
    const wanted = (whole && (await kind.settle?.(whole, stored))) ?? whole;
    if (wanted) add(files, wanted, 'in_files');
    if (stored) add(here, stored, 'here');
    const found = { file: `${kind.name}.csv`, key, columns: [], reported: false };
    if (wanted && !stored) yield { ...found, difference: 'only in the files' as const };
    if (stored && !wanted) yield { ...found, difference: 'only here' as const };
    if (!wanted || !stored) continue;
    const others = columns.filter((name) => (wanted[name] ?? null) !== stored[name]);
    if (others.length === 0) continue;
    yield { ...found, difference: 'other values' as const, columns: others };
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

function textOf(
  proof: { kinds: Summary[]; unreported: number } & Record<'ignored' | 'not_compared', string[]>,
  shown: readonly Difference[],
  all: number,
): string {
  const { ignored, not_compared: others, unreported } = proof;
  const none = { registrar: '', digest_of_files: '', digest_here: '' };
  const rows = proof.kinds.flatMap(({ by_registrar, ...whole }) => [
    { ...none, ...whole },
    ...Object.entries(by_registrar).map(([registrar, { in_files, here }]) => ({
      ...{ ...none, kind: whole.kind, registrar, rows_in_files: in_files, rows_here: here },
    })),
  ]);
  const lines = shown.map(({ file, key, difference, columns, reported }) => {
    const of = columns.length > 0 ? ` (${columns.join(', ')})` : '';
    return `${file} ${key ?? '-'}: ${difference}${of}${reported ? ', as reported' : ''}`;
  });
  const hidden = all - shown.length;
  return [
    table(rows, 'the files hold nothing', {
      KIND: 'kind',
      REGISTRAR: 'registrar',
      'IN FILES': 'rows_in_files',
      HERE: 'rows_here',
      'DIGEST OF FILES': 'digest_of_files',
      'DIGEST HERE': 'digest_here',
    }),
    ...lines,
    ...(hidden > 0 ? [`${counted(hidden, 'more difference')}; --json shows all`] : []),
    ...ignoredText(ignored),
    ...(others.length > 0
      ? [`not compared, because there is no file of them: ${others.join(', ')}`]
      : []),
    all === 0
      ? 'the backup is equal to the files'
      : `${counted(all, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
  ].join('\n');
}
