import { createHash, type Hash } from 'node:crypto';
import type { Form, Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { reading } from '../command.ts';
import { readRows } from '../file/read.ts';
import { Spool } from '../file/spool.ts';
import { writeOutput } from '../output.ts';
import { verb } from '../run.ts';
import { counted, table } from '../text.ts';
import {
  compareKind,
  differingColumns,
  differingValues,
  gatherHere,
  reportStray,
} from './compare.ts';
import { type Directory, openDirectory, reportName } from './directory.ts';
import { stageKind } from './stage.ts';
import { type Finding, Staging } from './staging.ts';

interface Difference {
  /** The name of the file. */
  file: string;
  /** Null for a line that names none. */
  key: string | null;
  difference: 'only in the files' | 'only here' | 'refused' | 'other values';
  /** The columns that differ, or the one that is refused. */
  columns: string[];
  /** The report of the last move-in names it, as refused or as a conflict. */
  reported: boolean;
}

/** Differences that the terminal shows. */
const shownDifferences = 100;

export const reconcileCommand = verb(
  reading('reconcile', 'reconcile files', 'reconcile files --json')
    .description(
      'Prove that the registry is equal to a directory of files, or name every difference',
    )
    .argument('<directory>', 'the directory that was moved in')
    .option('--orphans-to <code>', 'the registrar that move-in gave orphans to')
    .addHelpText(
      'after',
      `
The digest of a kind is SHA-256 over all its rows in the order of their keys: equal digests are equal rows, passwords
included. The exit status is 0 if everything is equal, or if ${reportName}.csv in the directory names every difference
as refused or as a conflict, with the values that the files have now; otherwise 1. A reserved name whose last day is
over need not be here. Values are not shown.`,
    ),
  async ({ db, origin }, name, { orphansTo, json }) => {
    using staging = new Staging();
    using differences = new Differences();
    const directory = openDirectory(name);
    await differences.readReport(directory);
    const options = { now: origin.request.at, orphansTo };
    const sides: Sides[] = [];
    for (const kind of kinds) {
      const columns = await stageKind(staging, kind, directory, options);
      await gatherHere(db, staging, kind);
      staging.expectHere(kind);
      if (columns) sides.push(await compareSides(staging, kind, columns, options.now, differences));
    }
    for (const finding of staging.findings('refused')) {
      const columns = finding.column === null ? [] : [finding.column];
      differences.add(finding, 'refused', columns);
    }
    if (differences.unreported > 0) process.exitCode = 1;
    if (!json) return { data: {}, text: answerOf(sides, differences) };
    await writeJson(sides, differences);
    return undefined;
  },
);

/** A place in a file with its value and what was done with it: by these, the last report names a difference. */
type Place = Pick<Finding, 'file' | 'line' | 'key' | 'column' | 'value' | 'done'>;

function textOf({ file, line, key, column, value, done }: Record<keyof Place, unknown>): string {
  return JSON.stringify([file, key || String(line), column || '', value || '', done]);
}

/** All differences, in temporary files, so that any number of them takes little memory. */
class Differences implements Disposable {
  readonly found = new Spool<Difference & { line: number }>();
  unreported = 0;
  /** What the last report names as refused or as a conflict. */
  readonly #reported = new Spool<{ line: number }>();

  async readReport({ has, fileOf }: Directory): Promise<void> {
    if (!has(reportName)) return;
    const names = ['file', 'line', 'key', 'column', 'value', 'done'];
    const columns = Object.fromEntries(names.map((name) => [name, { note: '', isRequired: true }]));
    for await (const { line, values } of readRows(fileOf(reportName), 'csv', columns, () => {})) {
      const isMeant = values.done === 'refused' || values.done === 'conflict';
      const text = textOf(values as Record<keyof Place, unknown>);
      if (isMeant && this.#reported.lineOf(text) === undefined)
        this.#reported.add({ line }, [text]);
    }
  }

  add(place: Place, difference: Difference['difference'], columns: string[]): void {
    const file = `${place.file}.csv`;
    const reported = this.#reported.lineOf(textOf({ ...place, file })) !== undefined;
    if (!reported) this.unreported += 1;
    const line = this.found.length + 1;
    this.found.add({ line, file, key: place.key, difference, columns, reported }, []);
  }

  /** In chunks of this many. */
  *chunks(rows: number): Generator<Difference[]> {
    for (const chunk of this.found.chunks(rows)) yield chunk.map(({ line: _, ...each }) => each);
  }

  [Symbol.dispose](): void {
    this.found[Symbol.dispose]();
    this.#reported[Symbol.dispose]();
  }
}

/** What both sides have of a kind. */
interface Sides {
  kind: string;
  rows_in_files: number;
  rows_here: number;
  digest_of_files: string;
  digest_here: string;
  by_registrar: Record<string, { in_files: number; here: number }>;
}

/** Compares a kind's rows, which are all in the staging. */
async function compareSides(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  now: Date,
  differences: Differences,
): Promise<Sides> {
  const [files, registry] = [createHash('sha256'), createHash('sha256')];
  const all = { in_files: 0, here: 0 };
  const byRegistrar: Record<string, typeof all> = {};
  const count = (side: keyof typeof all, digest: Hash, form: Form) => {
    digest.update(JSON.stringify(Object.keys(kind.columns).map((column) => form[column])));
    all[side] += 1;
    if (!form.registrar) return;
    byRegistrar[form.registrar] ??= { in_files: 0, here: 0 };
    byRegistrar[form.registrar]![side] += 1;
  };
  for await (const compared of compareKind(staging, kind, columns, now)) {
    const { key, line, given, here, isEqual, isRefused, unfit } = compared;
    if (unfit) continue;
    if (given) count('in_files', files, given);
    if (here) count('here', registry, here);
    if (isEqual || isRefused) continue;
    const value = differingValues(kind, given, here);
    const place: Place = { file: kind.name, line, key, column: null, value, done: 'conflict' };
    if (given && here) differences.add(place, 'other values', differingColumns(given, here));
    else differences.add(place, given ? 'only in the files' : 'only here', []);
  }
  reportStray(staging, kind);
  return {
    kind: kind.name,
    rows_in_files: all.in_files,
    rows_here: all.here,
    digest_of_files: files.digest('hex'),
    digest_here: registry.digest('hex'),
    by_registrar: Object.fromEntries(Object.entries(byRegistrar).sort()),
  };
}

/** Writes the answer in parts: the differences may be too many for one text. */
async function writeJson(kinds: Sides[], differences: Differences): Promise<void> {
  const { unreported, found } = differences;
  const head = JSON.stringify({ kinds, unreported, equal: found.length === 0 });
  await writeOutput(`${head.slice(0, -1)},"differences":[`);
  let separator = '';
  for (const chunk of differences.chunks(1_000)) {
    await writeOutput(separator + chunk.map((each) => JSON.stringify(each)).join(','));
    separator = ',';
  }
  await writeOutput(']}\n');
}

function answerOf(sides: readonly Sides[], differences: Differences): string {
  const rows = sides.flatMap(({ kind, rows_in_files, rows_here, by_registrar, ...digests }) => [
    { ...digests, kind, registrar: null, in_files: rows_in_files, here: rows_here },
    ...Object.entries(by_registrar).map(([registrar, counts]) => ({
      ...{ kind, registrar, ...counts, digest_of_files: '', digest_here: '' },
    })),
  ]);
  const { unreported, found } = differences;
  const [first = []] = differences.chunks(shownDifferences);
  const shown = first.map(({ file, key, difference, columns, reported }) => {
    const of = columns.length > 0 ? ` (${columns.join(', ')})` : '';
    return `${file} ${key ?? '-'}: ${difference}${of}${reported ? ', as reported' : ''}`;
  });
  const hidden = found.length - shown.length;
  return [
    table(rows, 'the files hold nothing', {
      KIND: 'kind',
      REGISTRAR: 'registrar',
      'IN FILES': 'in_files',
      HERE: 'here',
      'DIGEST OF FILES': 'digest_of_files',
      'DIGEST HERE': 'digest_here',
    }),
    ...shown,
    ...(hidden > 0 ? [`${counted(hidden, 'more difference')}; --json shows all`] : []),
    found.length === 0
      ? 'the registry is equal to the files'
      : `${counted(found.length, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
  ].join('\n');
}
