import { createHash, type Hash } from 'node:crypto';
import type { Form, Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { reading } from '../command.ts';
import { readRows } from '../file/read.ts';
import { Spool } from '../file/spool.ts';
import { writeOutput } from '../output.ts';
import { verb } from '../run.ts';
import { counted, table } from '../text.ts';
import { compareKind, differingValues, gatherHere, reportStray } from './compare.ts';
import { type Directory, openDirectory, reportName } from './directory.ts';
import { stageKind } from './stage.ts';
import { Staging } from './staging.ts';

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
    const directory = openDirectory(name);
    using reported = await readReported(directory);
    const options = { now: origin.request.at, orphansTo };
    const kindsCompared: Sides[] = [];
    for (const kind of kinds) {
      const columns = await stageKind(staging, kind, directory, options);
      await gatherHere(db, staging, kind);
      staging.expectHere(kind);
      if (columns) kindsCompared.push(await compareSides(staging, kind, columns, options.now));
    }
    let all = 0;
    let unreported = 0;
    const shown: Difference[] = [];
    if (json) await writeOutput('{"differences":[');
    for (const difference of differencesOf(staging, reported)) {
      if (json) await writeOutput(`${all > 0 ? ',' : ''}${JSON.stringify(difference)}`);
      else if (all < shownDifferences) shown.push(difference);
      all += 1;
      if (!difference.reported) unreported += 1;
    }
    if (unreported > 0) process.exitCode = 1;
    const data = { kinds: kindsCompared, unreported, equal: all === 0 };
    if (!json) return { data, text: textOf(kindsCompared, shown, { all, unreported }) };
    await writeOutput(`],${JSON.stringify(data).slice(1)}\n`);
    return undefined;
  },
);

/** The places that the last report names as refused or as conflicts. */
async function readReported({ has, fileOf }: Directory): Promise<Spool<{ line: number }>> {
  const places = new Spool<{ line: number }>();
  const names = ['file', 'line', 'key', 'column', 'value', 'done'];
  const columns = Object.fromEntries(names.map((name) => [name, { note: '', isRequired: true }]));
  const rows = has(reportName) ? readRows(fileOf(reportName), 'csv', columns, () => {}) : [];
  for await (const { line, values } of rows) {
    const isMeant = values.done === 'refused' || values.done === 'conflict';
    const place = placeOf(values);
    if (isMeant && places.lineOf(place) === undefined) places.add({ line }, [place]);
  }
  return places;
}

/** Where something is in the files, with the value that it has there. */
function placeOf({ file, line, key, column, value, done }: Record<string, unknown>): string {
  return JSON.stringify([file, key || String(line), column || '', value || '', done]);
}

interface Difference {
  /** The name of the file. */
  file: string;
  /** Null for a line that names none. */
  key: string | null;
  /** Refused, only in the files, only here, or other values. */
  difference: string;
  /** The columns that differ, or the one that is refused. */
  columns: string[];
  /** The report of the last move-in names it, as refused or as a conflict. */
  reported: boolean;
}

/** The rows that differ, and then those that were refused. */
function* differencesOf(
  staging: Staging,
  reported: Spool<{ line: number }>,
): Generator<Difference> {
  for (const done of ['conflict', 'refused'] as const) {
    for (const finding of staging.findings(done)) {
      const { key, column, value, why } = finding;
      const file = `${finding.file}.csv`;
      const differing = why === 'other values' ? Object.keys(JSON.parse(value!)) : [];
      yield {
        ...{ file, key, difference: done === 'refused' ? done : why },
        columns: column === null ? differing : [column],
        reported: reported.lineOf(placeOf({ ...finding, file })) !== undefined,
      };
    }
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

/** Compares a kind's rows, which are all in the staging, and leaves there what differs. */
async function compareSides(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  now: Date,
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
    const why = !here ? 'only in the files' : given ? 'other values' : 'only here';
    const value = differingValues(kind, given, here);
    staging.find({ file: kind.name, line, key, column: null, value, done: 'conflict', why });
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

function textOf(
  sides: readonly Sides[],
  differences: readonly Difference[],
  { all, unreported }: { all: number; unreported: number },
): string {
  const rows = sides.flatMap(({ kind, rows_in_files, rows_here, by_registrar, ...digests }) => [
    { ...digests, kind, registrar: null, in_files: rows_in_files, here: rows_here },
    ...Object.entries(by_registrar).map(([registrar, counts]) => ({
      ...{ kind, registrar, ...counts, digest_of_files: '', digest_here: '' },
    })),
  ]);
  const shown = differences.map(({ file, key, difference, columns, reported }) => {
    const of = columns.length > 0 ? ` (${columns.join(', ')})` : '';
    return `${file} ${key ?? '-'}: ${difference}${of}${reported ? ', as reported' : ''}`;
  });
  const hidden = all - shown.length;
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
    all === 0
      ? 'the registry is equal to the files'
      : `${counted(all, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
  ].join('\n');
}
