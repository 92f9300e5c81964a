import { type Kind, keyOf } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { reading } from '../command.ts';
import { readRows } from '../file/read.ts';
import { verb } from '../run.ts';
import { counted, table } from '../text.ts';
import { compareKind, differingColumns, gatherHere, reportStray, Side } from './compare.ts';
import { type Directory, openDirectory, reportName } from './directory.ts';
import { stageKind } from './stage.ts';
import { findingColumns, Staging } from './staging.ts';

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
as refused or as a conflict; otherwise 1. Values are not shown.`,
    ),
  async ({ db, origin }, name, { orphansTo }) => {
    using staging = new Staging();
    const directory = openDirectory(name);
    const reported = await readReported(directory);
    const options = { now: origin.request.at, orphansTo };
    const sides: Sides[] = [];
    const differences: Difference[] = [];
    for (const kind of kinds) {
      const columns = await stageKind(staging, kind, directory, options);
      await gatherHere(db, staging, kind);
      for (const form of staging.here(kind)) staging.expect(kind, keyOf(kind, form));
      if (!columns) continue;
      const compared = await compareSides(staging, kind, columns, options.now);
      sides.push(compared.sides);
      for (const each of compared.differences) {
        differences.push({ ...each, reported: reported.has(`${each.file} ${each.key}`) });
      }
    }
    for (const { file, key, line, column } of staging.findings('refused')) {
      const name = `${file}.csv`;
      const columns = column === null ? [] : [column];
      const isReported = reported.has(`${name} ${key ?? line}`);
      differences.push({ file: name, key, difference: 'refused', columns, reported: isReported });
    }
    const unreported = differences.filter((each) => !each.reported).length;
    if (unreported > 0) process.exitCode = 1;
    return {
      data: { kinds: sides, differences, unreported, equal: differences.length === 0 },
      text: textOf(sides, differences, unreported),
    };
  },
);

/** The keys, with their files, that the last report names as refused or as conflicts. */
async function readReported({ has, fileOf }: Directory): Promise<Set<string>> {
  const keys = new Set<string>();
  if (!has(reportName)) return keys;
  const columns = Object.fromEntries(
    findingColumns.map((name) => [name, { note: '', isRequired: true }]),
  );
  for await (const { values } of readRows(fileOf(reportName), 'csv', columns)) {
    const { file, key, line, done } = values;
    if (done === 'refused' || done === 'conflict') keys.add(`${file} ${key || line}`);
  }
  return keys;
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

async function compareSides(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  now: Date,
): Promise<{ sides: Sides; differences: Omit<Difference, 'reported'>[] }> {
  const [files, registry] = [new Side(), new Side()];
  const differences: Omit<Difference, 'reported'>[] = [];
  for await (const { key, given, here, isEqual, isRefused } of compareKind(
    staging,
    kind,
    columns,
    now,
  )) {
    if (given) files.add(given);
    if (here) registry.add(here);
    if (isEqual || isRefused) continue;
    const difference = !here ? 'only in the files' : given ? 'other values' : 'only here';
    const differing = given && here ? differingColumns(given, here) : [];
    differences.push({ file: `${kind.name}.csv`, key, difference, columns: differing });
  }
  reportStray(staging, kind);
  const codes = Object.keys({ ...files.byRegistrar, ...registry.byRegistrar }).sort();
  const byRegistrar = codes.map((code) => [
    code,
    { in_files: files.byRegistrar[code] ?? 0, here: registry.byRegistrar[code] ?? 0 },
  ]);
  const sides: Sides = {
    kind: kind.name,
    rows_in_files: files.rows,
    rows_here: registry.rows,
    digest_of_files: files.digest(),
    digest_here: registry.digest(),
    by_registrar: Object.fromEntries(byRegistrar),
  };
  return { sides, differences };
}

function textOf(sides: Sides[], differences: readonly Difference[], unreported: number): string {
  const rows = sides.flatMap(({ kind, rows_in_files, rows_here, by_registrar, ...digests }) => [
    { ...digests, kind, registrar: null, in_files: rows_in_files, here: rows_here },
    ...Object.entries(by_registrar).map(([registrar, counts]) => ({
      ...{ kind, registrar, ...counts, digest_of_files: '', digest_here: '' },
    })),
  ]);
  const shown = differences.slice(0, shownDifferences).map((each) => {
    const columns = each.columns.length > 0 ? ` (${each.columns.join(', ')})` : '';
    const known = each.reported ? ', as reported' : '';
    return `${each.file} ${each.key ?? '-'}: ${each.difference}${columns}${known}`;
  });
  const hidden = differences.length - shown.length;
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
    differences.length === 0
      ? 'the registry is equal to the files'
      : `${counted(differences.length, 'difference')}, ${unreported} of them not in ${reportName}.csv`,
  ].join('\n');
}
