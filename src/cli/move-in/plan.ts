import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import { type Form, type Kind, keyOf } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { newestActors } from '../../move-in/read.ts';
import type { RowChange } from '../../move-in/write.ts';
import {
  type Compared,
  compareKind,
  differingColumns,
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

export type Counts = Record<'unchanged' | 'conflicts' | 'here', number>;

/** Rows whose authors are asked for at once. */
const chunkRows = 1_000;

/**
 * Reads the files and the registry, and plans what makes the registry equal to the files. Returns counts for each kind
 * that the files have. Throws what `stageKind` and `compareKind` throw, and `not_found` for the registrar of orphans.
 */
export async function planMove(
  db: Database,
  staging: Staging,
  directory: Directory,
  options: PlanOptions,
): Promise<Map<Kind, Counts>> {
  const counts = new Map<Kind, Counts>();
  for (const kind of kinds) {
    const columns = await stageKind(staging, kind, directory, options);
    if (!columns && !isReferredTo(kind)) continue;
    await gatherHere(db, staging, kind);
    if (columns) counts.set(kind, await planKind(db, staging, kind, columns, options));
    else for (const form of staging.here(kind)) staging.expect(kind, keyOf(kind, form));
    if (kind.name === 'registrars') checkOrphans(staging, options);
    reportStray(staging, kind);
  }
  return counts;
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
): Promise<Counts> {
  const counts = { unchanged: 0, conflicts: 0, here: 0 };
  let differing: Compared[] = [];
  const decide = async () => {
    const actors = await newestActors(
      db,
      kind,
      differing.map(({ given, here }) => (here ?? given)!),
    );
    differing.forEach((compared, index) => {
      const isPlanned = planRow(staging, kind, compared, { actor: actors[index]!, ...options });
      if (!isPlanned) counts.conflicts += 1;
    });
    differing = [];
  };
  for await (const compared of compareKind(staging, kind, columns, options.now)) {
    const { key, here, isRefused, isEqual } = compared;
    if (here) counts.here += 1;
    if (isEqual) counts.unchanged += 1;
    if (isEqual || isRefused) {
      if (here) staging.expect(kind, key);
      continue;
    }
    differing.push(compared);
    if (differing.length === chunkRows) await decide();
  }
  await decide();
  if (kind.name === 'contacts') mergeRenamed(staging, kind);
  return counts;
}

/** Plans the change of a row, unless it is a conflict: somebody else has changed, made or deleted the row since. */
function planRow(
  staging: Staging,
  kind: Kind,
  { key, line, given, here }: Compared,
  { actor, theirs }: { actor: string | null; theirs?: boolean | undefined },
): boolean {
  const conflict = (why: string) => {
    const place = { file: kind.name, line, key, column: null, value: null };
    staging.find({ ...place, done: 'conflict', why });
    if (here) staging.expect(kind, key);
    return false;
  };
  const isTheirs = theirs || actor === 'move_in' || (actor === null && !here);
  if (!isTheirs) {
    return conflict(!here ? 'was deleted here' : given ? 'was changed here' : 'was made here');
  }
  const change = changeOf(kind, given, here);
  if (!change) return conflict(`has another ${kind.fixed} here`);
  staging.plan(kind, key, line, change);
  if (given) staging.expect(kind, key);
  return true;
}

/** The change from one form to the other; undefined if it can't be made. */
function changeOf(kind: Kind, to: Form | null, from: Form | null): RowChange | undefined {
  if (!from) return { action: 'add', from, to: to! };
  if (!to) return { action: 'remove', from, to };
  const isFixed = differingColumns(to, from).some((column) => kind.fixed?.includes(column));
  if (!isFixed) return { action: 'update', from, to };
  return kind.name === 'contacts' ? { action: 'replace', from, to } : undefined;
}

/** A contact with another code, but the id or UUID of one that goes, takes its place. */
function mergeRenamed(staging: Staging, kind: Kind): void {
  const going = new Map<string, Form>();
  for (const chunk of staging.planned(kind, 'remove').chunks(chunkRows)) {
    for (const { from } of chunk) going.set(from!.id!, from!).set(from!.uuid!, from!);
  }
  if (going.size === 0) return;
  for (const chunk of staging.planned(kind, 'add').chunks(chunkRows)) {
    for (const { to } of chunk) {
      const from = going.get(to!.id!) ?? going.get(to!.uuid!);
      if (!from) continue;
      going.delete(from.id!);
      going.delete(from.uuid!);
      staging.merge(kind, to!.code!, from.code!, { action: 'replace', from, to: to! });
    }
  }
}
