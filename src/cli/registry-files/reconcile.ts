import { createHash } from 'node:crypto';
import { type Form, isOver, type Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { reading } from '../command.ts';
import { columnsNamed } from '../file/format.ts';
import { readRows } from '../file/read.ts';
import { writeOutput } from '../report/output.ts';
import { counted, table } from '../report/text.ts';
import { verb } from '../run.ts';
import { type Directory, ignoredText, openDirectory, reportName } from './directory.ts';
import { conflictFinding, type Finding, isHeld } from './findings.ts';
import { planMove } from './plan.ts';
import { Staging } from './staging.ts';

/** Differences that the terminal shows. */
const shownDifferences = 100;

export const reconcileCommand = verb(
  reading('reconcile', 'reconcile files', 'reconcile files --json')
    .description('Prove that the registry is equal to the files that moved in')
    .argument('<directory>', 'the directory that was moved in')
    .option('--orphans-to <code>', 'the registrar that move-in gave orphans to')
    .addHelpText(
      'after',
      `
The digest of a kind is SHA-256 over all its rows in the order of their keys: equal digests are equal rows, passwords
included. The exit status is 0 if everything is equal, or if ${reportName}.csv in the directory names every difference
as refused or as a conflict; otherwise 1. A report that is older than one of the files excuses nothing. A reserved name whose last day is over need not be here. Values are not shown.`,
    ),
  async ({ db, origin }, name, { orphansTo, json }) => {
    using staging = new Staging();
    const directory = openDirectory(name);
    const reported = await readReported(directory);
    const sides = new Map(kinds.map((kind) => [kind, new Sides(kind)]));
    const compared = await planMove(db, {
      staging,
      directory,
      now: origin.request.at,
      orphansTo,
      onCompared(kind, wanted, stored) {
        if (wanted) sides.get(kind)!.add('in_files', wanted);
        if (stored) sides.get(kind)!.add('here', stored);
      },
    });
    let all = 0;
    let unreported = 0;
    const shown: Difference[] = [];
    if (json) await writeOutput('{"differences":[');
    for (const finding of differences(staging)) {
      const difference = differenceOf(finding, reported);
      if (json) await writeOutput(`${all > 0 ? ',' : ''}${JSON.stringify(difference)}`);
      else if (all < shownDifferences) shown.push(difference);
      all += 1;
      if (!difference.reported) unreported += 1;
    }
    if (unreported > 0) process.exitCode = 1;
    const data = {
      kinds: [...compared.keys()].map((kind) => sides.get(kind)!.summary()),
      not_compared: kinds.filter((kind) => !compared.has(kind)).map(({ name }) => name),
      ignored: directory.ignored,
      unreported,
      equal: all === 0,
    };
    if (!json) return { data, text: textOf(data, shown, all) };
    await writeOutput(`],${JSON.stringify(data).slice(1)}\n`);
    return undefined;
  },
);

/** The places that the report of these files names as refused or as conflicts. */
async function readReported({ hasReport, fileOf }: Directory): Promise<ReadonlySet<string>> {
  const places = new Set<string>();
  const columns = columnsNamed(['file', 'line', 'key', 'column', 'value', 'done', 'why']);
  const rows = hasReport ? readRows(fileOf(reportName), 'csv', columns, () => {}) : [];
  for await (const { values } of rows) {
    if (values.done !== 'refused' && values.done !== 'conflict') continue;
    places.add(placeOf(values.why === isHeld ? { ...values, value: null } : values));
  }
  return places;
}

/** Identifies a finding in a report: its place, its value and its outcome. */
function placeOf({ file, line, key, column, value, done }: Record<string, unknown>): string {
  return JSON.stringify([file, key || String(line), column || '', value || '', done]);
}

const words = [
  ['add', 'only in the files'],
  ['update', 'other values'],
  ['replace', 'other values'],
  ['remove', 'only here'],
] as const;

/** The changes that moving in again would make, and then the rows that it would skip or refuse. */
function* differences(staging: Staging): Generator<Finding> {
  for (const kind of kinds) {
    for (const [action, why] of words) {
      for (const change of staging.changes(kind, action)) {
        yield conflictFinding(kind, change, why);
      }
    }
  }
  for (const finding of staging.findings.list('conflict')) {
    yield finding.why === isHeld ? { ...finding, value: null } : finding;
  }
  for (const finding of staging.findings.list('refused')) if (finding.why !== isOver) yield finding;
}

interface Difference {
  /** The name of the file. */
  file: string;
  /** Null for a line that names none. */
  key: string | null;
  /** Refused, only in the files, only here, other values, or why the row is a conflict. */
  difference: string;
  /** The columns that differ, or the one that is refused. */
  columns: string[];
  /** The report of the last move-in names it, as refused or as a conflict. */
  reported: boolean;
}

function differenceOf(finding: Finding, reported: ReadonlySet<string>): Difference {
  const { key, column, value, done, why } = finding;
  const columns = column === null ? Object.keys(JSON.parse(value ?? '{}')) : [column];
  const file = `${finding.file}.csv`;
  const isReported = reported.has(placeOf({ ...finding, file }));
  return { file, key, difference: done === 'refused' ? done : why, columns, reported: isReported };
}

type Side = 'in_files' | 'here';

/** The rows of a kind on both sides. */
class Sides {
  readonly #kind: Kind;
  readonly #rows = { in_files: 0, here: 0 };
  readonly #digests = { in_files: createHash('sha256'), here: createHash('sha256') };
  readonly #byRegistrar = new Map<string, Record<Side, number>>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  add(side: Side, form: Form): void {
    const values = Object.keys(this.#kind.columns).map((column) => form[column]);
    this.#digests[side].update(JSON.stringify(values));
    this.#rows[side] += 1;
    if (!form.registrar) return;
    const counts = this.#byRegistrar.get(form.registrar) ?? { in_files: 0, here: 0 };
    counts[side] += 1;
    this.#byRegistrar.set(form.registrar, counts);
  }

  summary() {
    const codes = [...this.#byRegistrar.keys()].sort();
    return {
      kind: this.#kind.name,
      rows_in_files: this.#rows.in_files,
      rows_here: this.#rows.here,
      digest_of_files: this.#digests.in_files.digest('hex'),
      digest_here: this.#digests.here.digest('hex'),
      by_registrar: Object.fromEntries(codes.map((code) => [code, this.#byRegistrar.get(code)!])),
    };
  }
}

function textOf(
  answer: {
    kinds: ReturnType<Sides['summary']>[];
    unreported: number;
  } & Record<'ignored' | 'not_compared', readonly string[]>,
  shown: readonly Difference[],
  all: number,
): string {
  const { ignored, not_compared: others, unreported } = answer;
  const rows = answer.kinds.flatMap(({ by_registrar, ...whole }) => [
    { ...whole, registrar: null },
    ...Object.entries(by_registrar).map(([registrar, { in_files, here }]) => ({
      kind: whole.kind,
      registrar,
      rows_in_files: in_files,
      rows_here: here,
      digest_of_files: '',
      digest_here: '',
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
      ? 'the registry is equal to the files'
      : `${counted(all, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
  ].join('\n');
}
