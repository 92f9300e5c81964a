import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import { heldKinds, kinds } from '../../move-in/kinds.ts';
import { newestActors, readForms } from '../../move-in/read.ts';
import type { RowChange } from '../../move-in/write.ts';
import { differingColumns, holdValues, keep, leftFinding, settleCollisions } from './collisions.ts';
import type { Directory } from './directory.ts';
import { type StageOptions, stageKind, whyAbsent } from './stage.ts';
import type { Pair, Staging } from './staging.ts';

export interface PlanOptions extends StageOptions {
  /** Conflicts are settled by the files. */
  theirs?: boolean | undefined;
  /** Takes each row, with the whole form of both sides, but those that have ended or can't be here. */
  onCompared?(kind: Kind, compared: Pair): void;
}

/** Rows whose authors are asked for at once. */
const chunkRows = 1_000;

/**
 * Reads the files and the registry, and plans what makes the registry equal to the files. Returns the numbers of rows
 * that are equal, by kind, for the kinds that the files have. Throws what `stageKind` throws, and `not_found` for the
 * registrar of orphans.
 */
export async function planMove(
  db: Database,
  staging: Staging,
  directory: Directory,
  options: PlanOptions,
): Promise<Map<Kind, number>> {
  const unchanged = new Map<Kind, number>();
  for (const kind of kinds) {
    const columns = await stageKind(staging, kind, directory, options);
    if (!columns && !isReferredTo(kind)) continue;
    for await (const forms of readForms(db, kind)) {
      for (const form of forms) staging.addHere(kind, form);
    }
    if (columns) unchanged.set(kind, await planKind(db, staging, kind, columns, options));
    else staging.expectHere(kind);
    if (kind.name === 'registrars') checkOrphans(staging, options);
    reportStray(staging, kind);
  }
  return unchanged;
}

const isReferredTo = ({ name }: Kind) =>
  name === 'registrars' || kinds.some(({ part }) => part?.refersTo === name);

function checkOrphans(staging: Staging, { orphansTo }: PlanOptions): void {
  if (orphansTo === undefined || staging.isExpected('registrars', orphansTo)) return;
  const message = `there is no registrar ${JSON.stringify(orphansTo)}`;
  throw new RegistryError('not_found', message, 'orphans_to');
}

/** Reports the elements of rows that are not going to be there. */
function reportStray(staging: Staging, kind: Kind): void {
  const { name, part } = kind;
  if (!part) return;
  const [column] = Object.keys(part.columns);
  for (const { key, line } of staging.strayElements(kind)) {
    const why = whyAbsent(staging, name, key);
    staging.find({ file: part.file, line, key, column: column!, value: key, done: 'refused', why });
  }
}

async function planKind(
  db: Database,
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  options: PlanOptions,
): Promise<number> {
  let unchanged = 0;
  let differing: Pair[] = [];
  const decide = async () => {
    const forms = differing.map(({ given, here }) => (here ?? given)!);
    const actors = await newestActors(db, kind, forms);
    for (const [index, pair] of differing.entries()) {
      planRow(staging, kind, pair, actors[index]!, options);
    }
    differing = [];
  };
  for (const pair of staging.pairs(kind)) {
    const { key, line, here, isRefused } = pair;
    const given = await wholeForm(staging, kind, columns, pair);
    const unfit = given && !here && kind.unfit?.(given, options.now);
    if (unfit) {
      const value = given[unfit.column] ?? null;
      const registrar = given.registrar ?? null;
      staging.find({ file: kind.name, line, key, value, ...unfit, done: 'refused', registrar });
      continue;
    }
    const whole = { ...pair, given };
    options.onCompared?.(kind, whole);
    const isEqual = given && here && differingColumns(given, here).length === 0;
    if (isEqual) unchanged += 1;
    if (isEqual) staging.expect(kind, key);
    else if (!isRefused) differing.push(whole);
    else if (here) keep(staging, kind, here);
    if (differing.length === chunkRows) await decide();
  }
  await decide();
  settleCollisions(staging, kind);
  return unchanged;
}

/** The row as the files have it, null if they lack it. Of the columns that they do not have, what is here counts as given. */
async function wholeForm(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  { key, given: read, here }: Pair,
): Promise<Form | null> {
  const hasRows = kind.key.every((column) => columns.has(column));
  // Without a file of the rows, there are those that are here.
  const given = hasRows ? read : here && {};
  if (!given) return null;
  const whole = { ...here, ...given, ...listsOf(staging, kind, columns, key) };
  return kind.settle?.(whole, here) ?? whole;
}

/** The lists that the file of the kind's part fills. */
function listsOf(staging: Staging, kind: Kind, columns: ReadonlySet<string>, key: string): Form {
  const { file, fills, ifEmpty } = kind.part ?? { fills: [] };
  if (!fills.every((column) => columns.has(column))) return {};
  const lists = fills.map((column) => {
    const elements = staging.elementsOf(kind, key, column);
    if (ifEmpty && elements.length === 0) {
      const place = { file: file!, line: null, key, column: null, value: null };
      staging.find({ ...place, done: 'carried', why: `has no row: ${ifEmpty}` });
    }
    return [column, JSON.stringify(elements)];
  });
  return Object.fromEntries(lists);
}

/** Plans the change of a row, unless it is a conflict: somebody else has changed, made or deleted the row since. */
function planRow(
  staging: Staging,
  kind: Kind,
  pair: Pair,
  actor: string | null,
  { theirs, now }: PlanOptions,
): void {
  const { key, given, here } = pair;
  const leave = (why: string) => {
    staging.find(leftFinding(staging, kind, { from: here, to: given }, why));
    if (here) keep(staging, kind, here);
  };
  const isTheirs = theirs || actor === 'move_in' || (actor === null && !here);
  if (!isTheirs) {
    leave(!here ? 'was deleted here' : given ? 'was changed here' : 'was made here');
    return;
  }
  if (given && staging.isHeldBack(kind, key)) {
    leave(`it needs a row of ${kind.part!.refersTo}.csv that is a conflict`);
    return;
  }
  const to = given && !here ? newForm(staging, kind, pair, now) : given;
  const change = changeOf(kind, to, here);
  if (!change) {
    leave(`has another ${kind.fixed} here`);
    return;
  }
  staging.plan(kind, key, change);
  // Kinds that others refer to lose rows after all others have changed.
  if (change.action === 'replace' || (change.action === 'remove' && heldKinds.includes(kind))) {
    holdValues(staging, kind, here!);
  }
}

/** A new row, with values of its own where the files give none. */
function newForm(staging: Staging, kind: Kind, { key, line, given }: Pair, now: Date): Form {
  const own = kind.missing?.(given!, now) ?? {};
  const values = Object.entries(kind.columns).map(([column, { read }]) => {
    if (column in given!) return [column, given![column]];
    if (!(column in own)) return [column, read(null, () => {}) ?? null];
    const registrar = given!.registrar ?? null;
    const place = { file: kind.name, line, key, column, value: null, registrar };
    staging.find({ ...place, done: 'changed', why: 'made here because the file has none' });
    return [column, own[column]];
  });
  return Object.fromEntries(values);
}

/** The change from one form to the other; undefined if it can't be made. */
function changeOf(kind: Kind, to: Form | null, from: Form | null): RowChange | undefined {
  if (!from) return { action: 'add', from, to: to! };
  if (!to) return { action: 'remove', from, to };
  const isFixed = differingColumns(to, from).some((column) => kind.fixed?.includes(column));
  if (!isFixed) return { action: 'update', from, to };
  return kind.links && { action: 'replace', from, to };
}
