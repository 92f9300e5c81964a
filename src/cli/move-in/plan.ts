import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import { type Form, type Kind, keyOf, uniqueValues } from '../../move-in/kind.ts';
import { heldKinds, kinds } from '../../move-in/kinds.ts';
import { newestActors } from '../../move-in/read.ts';
import type { RowChange } from '../../move-in/write.ts';
import {
  type Compared,
  compareKind,
  differingColumns,
  differingValues,
  gatherHere,
  reportStray,
} from './compare.ts';
import type { Directory } from './directory.ts';
import { type StageOptions, stageKind } from './stage.ts';
import type { Staging } from './staging.ts';

export interface PlanOptions extends StageOptions {
  /** Conflicts are settled by the files. */
  theirs?: boolean | undefined;
}

/** Rows whose authors are asked for at once. */
const chunkRows = 1_000;

export const isTaken = 'another row here has a value that only one may have';

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
    await gatherHere(db, staging, kind);
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

async function planKind(
  db: Database,
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  options: PlanOptions,
): Promise<number> {
  let unchanged = 0;
  let differing: Compared[] = [];
  const decide = async () => {
    const forms = differing.map(({ given, here }) => (here ?? given)!);
    const actors = await newestActors(db, kind, forms);
    for (const [index, compared] of differing.entries()) {
      planRow(staging, kind, compared, actors[index]!, options);
    }
    differing = [];
  };
  for await (const compared of compareKind(staging, kind, columns, options.now)) {
    const { key, line, given, isRefused, isEqual, unfit } = compared;
    if (isEqual) unchanged += 1;
    if (unfit) {
      const place = { file: kind.name, line, key, value: given![unfit.column]! };
      staging.find({ ...place, ...unfit, done: 'refused' });
    } else if (isEqual || isRefused) keep(staging, kind, compared);
    else differing.push(compared);
    if (differing.length === chunkRows) await decide();
  }
  await decide();
  settleAdditions(staging, kind);
  return unchanged;
}

/** Plans the change of a row, unless it is a conflict: somebody else has changed, made or deleted the row since. */
function planRow(
  staging: Staging,
  kind: Kind,
  compared: Compared,
  actor: string | null,
  { theirs, now }: PlanOptions,
): void {
  const { key, line, given, here } = compared;
  const conflict = (why: string) => {
    const value = differingValues(kind, given, here);
    const place = { file: kind.name, line, key, column: null, registrar: given?.registrar ?? null };
    staging.find({ ...place, value, done: 'conflict', why });
    keep(staging, kind, compared);
  };
  const isTheirs = theirs || actor === 'move_in' || (actor === null && !here);
  if (!isTheirs) {
    conflict(!here ? 'was deleted here' : given ? 'was changed here' : 'was made here');
    return;
  }
  const to = given && !here ? newForm(staging, kind, compared, now) : given;
  const change = changeOf(kind, to, here);
  if (!change) {
    conflict(`has another ${kind.fixed} here`);
    return;
  }
  staging.plan(kind, key, change);
  // Kinds that others refer to lose rows after all others have changed.
  if (change.action === 'remove' && heldKinds.includes(kind)) holdValues(staging, kind, compared);
}

/** The row stays here as it is. */
function keep(staging: Staging, kind: Kind, compared: Compared): void {
  if (!compared.here) return;
  staging.expect(kind, compared.key);
  if (!compared.isEqual) holdValues(staging, kind, compared);
}

/** Marks the values that no other row can have while the one here has them. */
function holdValues(staging: Staging, kind: Kind, { key, here }: Compared): void {
  for (const { text } of uniqueValues(kind, here!)) staging.take(kind, `here ${text}`, key);
}

/** A new row, with values of its own where the files give none. */
function newForm(staging: Staging, kind: Kind, { key, line, given }: Compared, now: Date): Form {
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
  return kind.name === 'contacts' ? { action: 'replace', from, to } : undefined;
}

/**
 * A contact with another code, but the id or UUID of one that goes, takes its place. Other new rows with a value that a
 * row here keeps are not added, and nothing can refer to them.
 */
function settleAdditions(staging: Staging, kind: Kind): void {
  for (const chunk of staging.planned(kind, 'add').chunks(chunkRows)) {
    for (const change of chunk) {
      const { to } = change;
      const holder = uniqueValues(kind, to!)
        .map(({ text }) => staging.taker(kind, `here ${text}`))
        .find((taker) => taker !== undefined);
      if (holder === undefined) continue;
      const key = keyOf(kind, to!);
      staging.unplan(kind, 'add', key);
      const going = kind.name === 'contacts' && staging.unplan(kind, 'remove', holder);
      if (going) staging.plan(kind, key, { action: 'replace', from: going.from!, to: to! });
      else reportLeft(staging, kind, change, undefined, isTaken);
    }
  }
}

/** Reports a planned change that is not made as a conflict with what is here. */
export function reportLeft(
  staging: Staging,
  kind: Kind,
  { from, to }: RowChange,
  here: Form | undefined,
  why: string,
): void {
  const key = keyOf(kind, (to ?? from)!);
  const line = staging.lineOf(kind, key);
  const value = differingValues(kind, to && asGiven(staging, kind, key, to), here ?? null);
  const finding = { file: kind.name, line, key, column: null, done: 'conflict', why } as const;
  staging.find({ ...finding, value, registrar: to?.registrar ?? null });
  // The one whose place it was to take stays as well.
  if (from && to && keyOf(kind, from) !== key) {
    staging.find({ ...finding, line: null, key: keyOf(kind, from), value: null });
  }
}

/** The form without what the files do not give. */
function asGiven(staging: Staging, kind: Kind, key: string, form: Form): Form {
  const given = staging.given(kind, key)?.form;
  if (!given) return form;
  const columns = [...Object.keys(given), ...(kind.part?.fills ?? [])];
  return Object.fromEntries(columns.map((column) => [column, form[column] ?? null]));
}
