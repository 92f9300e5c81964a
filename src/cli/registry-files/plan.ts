import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import { certificateKind } from '../../move-in/certificates.ts';
import { contactKind } from '../../move-in/contacts.ts';
import { domainKind } from '../../move-in/domains.ts';
import { elementsOf, type Form, type Kind, keyOf, uniqueValues } from '../../move-in/kind.ts';
import { heldKinds, kinds } from '../../move-in/kinds.ts';
import { newestActors, readForms } from '../../move-in/read.ts';
import { apiUserKind, registrarKind } from '../../move-in/registrars.ts';
import type { RowChange } from '../../move-in/write.ts';
import { filesOf, reportName } from './directory.ts';
import { conflictFinding, differingColumns, isHeld } from './findings.ts';
import { type KindMove, type Move, stageKind, whyAbsent } from './stage.ts';
import type { StagedRow, Staging } from './staging.ts';

/** A row with its whole form by the files, which is null if they lack it. */
type ComparedRow = StagedRow & { wanted: Form | null };

/** Rows whose authors are asked for at once. */
const chunkRows = 1_000;

/**
 * Reads the files and the registry, and plans what makes the registry equal to the files. Returns the numbers of rows
 * that are equal, by kind, for the kinds that the files have. Throws what `stageKind` throws, and `not_found` for the
 * registrar of orphans.
 */
export async function planMove(db: Database, move: Move): Promise<Map<Kind, number>> {
  const { staging, directory } = move;
  const unchanged = new Map<Kind, number>();
  for (const kind of kinds) {
    const moveOfKind = { ...move, kind };
    const isGiven = filesOf(kind).some(({ name }) => directory.has(name));
    const isReferredTo = references.some(({ held }) => held === kind);
    if (!isGiven && !isReferredTo) continue;
    await stageKind(moveOfKind);
    for await (const form of readForms(db, kind)) {
      staging.update(kind, keyOf(kind, form), { stored: form, isExpected: true });
    }
    if (isGiven) unchanged.set(kind, await planKind(db, moveOfKind));
    if (kind.name === 'registrars') checkOrphans(move);
    refuseStrayElements(moveOfKind);
  }
  checkTheirs(move);
  await keepHeldRows(db, staging, [...unchanged.keys()]);
  return unchanged;
}

/** Throws `not_found` for a row whose conflict the files are to settle, and which is neither in them nor here. */
function checkTheirs({ staging, theirs }: Move): void {
  const missing = (theirs === true ? [] : (theirs ?? [])).find((place) => {
    const [name = '', ...key] = place.split(':');
    return !staging.rows({ name })?.get(key.join(':'));
  });
  if (missing === undefined) return;
  const message = `neither the files nor the registry have ${missing}; ${reportName}.csv shows the file and the key of each conflict`;
  throw new RegistryError('not_found', message, 'theirs');
}

const registrarIn = ({ registrar }: Form) => [registrar!];
const userIn = ({ username }: Form) => [username!];
const contactsIn = (form: Form) =>
  domainKind.part!.fills.flatMap((column) => elementsOf(form, column));

/** What refers to rows that may go. A contact that stays because of a domain holds its registrar, so registrars are last. */
const references = [
  { held: contactKind, by: domainKind, name: 'domain', keysIn: contactsIn },
  { held: apiUserKind, by: certificateKind, name: 'certificate', keysIn: userIn },
  { held: registrarKind, by: contactKind, name: 'contact', keysIn: registrarIn },
  { held: registrarKind, by: domainKind, name: 'domain', keysIn: registrarIn },
  { held: registrarKind, by: apiUserKind, name: 'API user', keysIn: registrarIn },
];

/** Turns the removal of a row into a conflict if another row refers to it after the move. */
async function keepHeldRows(db: Database, staging: Staging, planned: readonly Kind[]) {
  for (const { held, by, name, keysIn } of references) {
    if (staging.changes(held, 'remove').length === 0) continue;
    const forms = planned.includes(by) ? staging.formsAfter(by) : readForms(db, by);
    for await (const form of forms) {
      for (const key of keysIn(form)) {
        const removal = staging.plannedChange(held, key, 'remove');
        if (removal) staging.skip(held, removal, isHeld, `${name} ${keyOf(by, form)}`);
      }
    }
  }
}

function checkOrphans({ staging, orphansTo }: Move): void {
  const registrars = staging.rows({ name: 'registrars' });
  if (orphansTo === undefined || registrars.get(orphansTo)?.isExpected) return;
  const message = `there is no registrar ${JSON.stringify(orphansTo)}`;
  throw new RegistryError('not_found', message, 'orphans_to');
}

/** Refuses the elements of rows that will not be there. */
function refuseStrayElements({ staging, kind }: KindMove): void {
  const { name, part } = kind;
  if (!part) return;
  const [column] = Object.keys(part.columns);
  for (const row of staging.rows(kind)) {
    const place = { file: part.file, key: row.key, column: column!, value: row.key };
    const why = whyAbsent(name, row);
    for (const { line } of row.isExpected ? [] : row.elements) {
      staging.findings.add({ ...place, line, done: 'refused', why });
    }
  }
}

/** Plans the changes of a kind, and returns how many of its rows are equal. */
async function planKind(db: Database, move: KindMove): Promise<number> {
  const { staging, kind, now, onCompared } = move;
  let unchanged = 0;
  let differing: ComparedRow[] = [];
  const isInDoubt = isRowRefused(move);
  const decide = async () => {
    const forms = differing.map(({ wanted, stored }) => (stored ?? wanted)!);
    const actors = await newestActors(db, kind, forms);
    for (const [index, row] of differing.entries()) planRow(move, row, actors[index]!);
    differing = [];
  };
  for (const row of staging.rows(kind)) {
    const { key, line, incoming, stored } = row;
    // No row has the key; only elements name it.
    if (line === null && !stored) continue;
    const wanted = await wholeForm(move, row, isInDoubt);
    const unfit = wanted && !stored && kind.unfit?.(wanted, now);
    if (unfit) {
      const value = wanted[unfit.column];
      const { registrar } = wanted;
      const place = { file: kind.name, line, key, value, registrar };
      staging.findings.add({ ...place, ...unfit, done: 'refused' });
      continue;
    }
    onCompared?.(kind, wanted, stored);
    const isRefused = line !== null && !incoming;
    if (wanted && stored && differingColumns(wanted, stored).length === 0) unchanged += 1;
    else if (!isRefused) differing.push({ ...row, wanted });
    else if (stored) holdValues(staging, kind, stored);
    if (differing.length === chunkRows) await decide();
  }
  await decide();
  settleCollisions(staging, kind);
  return unchanged;
}

/** The whole form of a row by the files; null if they lack it. Columns that they lack keep their stored values. */
async function wholeForm(move: KindMove, row: StagedRow, isInDoubt: boolean): Promise<Form | null> {
  const { kind, directory } = move;
  const { incoming, stored } = row;
  // If there is no file of the rows, the stored rows count as given.
  const given = directory.has(kind.name) ? incoming : stored && {};
  if (!given) return null;
  const whole = { ...stored, ...given, ...listsOf(move, row, isInDoubt) };
  return kind.settle?.(whole, stored) ?? whole;
}

/** Whether a row of the part's file is refused, so that nobody knows what it was to belong to. */
function isRowRefused({ staging, kind }: KindMove): boolean {
  if (!kind.part?.ifEmpty) return false;
  if (staging.findings.counts(kind.part.file).refused > 0) return true;
  const isStray = ({ incoming, stored, elements }: StagedRow) =>
    !incoming && !stored && elements.length > 0;
  return [...staging.rows(kind)].some(isStray);
}

/** The columns that the file of the kind's part fills. */
function listsOf(
  { staging, kind, directory }: KindMove,
  { key, elements }: StagedRow,
  isInDoubt: boolean,
): Form {
  if (!kind.part || !directory.has(kind.part.file)) return {};
  const { file, fills, ifEmpty } = kind.part;
  const lists = fills.map((column) => {
    const ofList = elements.flatMap(({ list, element }) => (list === column ? [element] : []));
    if (ifEmpty && ofList.length === 0 && isInDoubt) {
      const why = `has no row while another is refused; it is now ${ifEmpty.whenInDoubt}, which nobody has`;
      staging.findings.add({ file, key, done: 'changed', why });
      ofList.push(ifEmpty.whenInDoubt);
    } else if (ifEmpty && ofList.length === 0) {
      staging.findings.add({ file, key, done: 'carried', why: `has no row: ${ifEmpty.meaning}` });
    } else if (ifEmpty && ofList.every((element) => element === ifEmpty.whenInDoubt)) {
      const why = `has only ${ifEmpty.whenInDoubt}, which nobody has`;
      staging.findings.add({ file, key, done: 'carried', why });
    }
    return [column, JSON.stringify(ofList.sort(inBytes))];
  });
  return Object.fromEntries(lists);
}

/** Compares as SQLite does, which orders the stored lists. */
function inBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Plans the change of a row, unless it is a conflict: somebody else has changed, made or deleted the row since. */
function planRow(move: KindMove, row: ComparedRow, actor: string | null): void {
  const { staging, kind, theirs } = move;
  const { key, line, incoming, stored, wanted, elements } = row;
  const skip = (why: string) => {
    staging.findings.add(conflictFinding(kind, { ...row, from: stored, to: wanted }, why));
    if (stored) holdValues(staging, kind, stored);
  };
  const isOurs = actor !== 'move_in' && (actor !== null || stored !== null);
  const why = !stored ? 'was deleted here' : wanted ? 'was changed here' : 'was made here';
  const isSettled = theirs === true || theirs?.includes(`${kind.name}:${key}`);
  if (isOurs && !isSettled) {
    skip(why);
    return;
  }
  const others = kind.part?.refersTo;
  const isLacking = (other: string) => !staging.rows({ name: others! }).get(other)?.isExpected;
  if (wanted && others && elements.some(({ element }) => isLacking(element))) {
    skip(`it needs a row of ${others}.csv that is a conflict`);
    return;
  }
  const to = wanted && !stored ? newForm(move, row, wanted) : wanted;
  const change = changeOf(kind, to, stored);
  if (!change) {
    skip(`has another ${kind.fixed} here`);
    return;
  }
  if (isOurs) {
    const conflict = conflictFinding(kind, { ...row, from: stored, to: wanted }, why);
    staging.findings.add({ ...conflict, done: 'settled' });
  }
  staging.plan(kind, { key, line, incoming, ...change });
  // Kinds that others refer to lose rows after all others have changed.
  if (change.action === 'replace' || (change.action === 'remove' && heldKinds.includes(kind))) {
    holdValues(staging, kind, stored!);
  }
}

/** Completes a new row, and reports the values that are made here. */
function newForm({ staging, kind, now }: KindMove, { key, line }: StagedRow, wanted: Form): Form {
  const at = now.toISOString();
  const times: Form = { created_at: at, updated_at: wanted.created_at ?? at };
  const own = { ...times, ...kind.missing?.(now) };
  const values = Object.entries(kind.columns).map(([column, { read }]) => {
    if (column in wanted) return [column, wanted[column]];
    if (!(column in own)) return [column, read(null, () => {}) ?? null];
    const why = 'made here because none is taken from the file';
    const { registrar } = wanted;
    staging.findings.add({ file: kind.name, line, key, column, done: 'changed', why, registrar });
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

/** Marks the values that no other row can have while the stored one has them. */
function holdValues(staging: Staging, kind: Kind, stored: Form): void {
  for (const { text } of uniqueValues(kind, stored)) {
    staging.held.set(`${kind.name} ${text}`, keyOf(kind, stored));
  }
}

/**
 * Turns changes to values that other stored rows keep into conflicts, before other kinds are planned: nothing can refer to
 * a row that is not added.
 */
function settleCollisions(staging: Staging, kind: Kind): void {
  const why = 'another row here has a value that only one may have';
  const actions = kind.unique ? (['add', 'update', 'replace'] as const) : [];
  for (const action of actions) {
    for (const change of staging.changes(kind, action)) {
      const isTaken = uniqueValues(kind, change.to!).some(({ text }) => {
        const holder = staging.held.get(`${kind.name} ${text}`);
        return holder !== undefined && holder !== change.key;
      });
      if (isTaken) staging.skip(kind, change, why);
    }
  }
}
