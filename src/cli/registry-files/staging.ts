import type { Form, Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import type { RowChange } from '../../move-in/write.ts';
import { Spool } from '../file/spool.ts';
import { conflictFinding, FindingList } from './findings.ts';

/** A row that is in the files, in the registry, or in both. */
export interface StagedRow {
  key: string;
  /** Null if no line of its file has the key. */
  line: number | null;
  /** The key as that line writes it; other lines may write it in another case. */
  text: string | null;
  isRepeated: boolean;
  /** The columns that the file gives; null if it lacks the row, or if the row was refused. */
  incoming: Form | null;
  stored: Form | null;
  /** The elements that the file of the kind's part gives to the row's lists. */
  elements: { list: string; element: string; line: number }[];
  /** There will be a row with the key. */
  isExpected: boolean;
}

/** A row with its planned change. */
export type PlannedRow = Pick<StagedRow, 'key' | 'line' | 'incoming'> & RowChange;

const actions = ['add', 'update', 'replace', 'remove'] as const;

/** Both sides of a move, the changes that are planned, and what was found in the files. */
export class Staging implements Disposable {
  readonly findings = new FindingList();
  readonly #rows = new Map(kinds.map(({ name }) => [name, new Spool<StagedRow>()]));
  readonly #changes = new Map(
    kinds.flatMap(({ name }) =>
      actions.map((action) => [`${name} ${action}`, new Spool<PlannedRow>()]),
    ),
  );
  /** The keys of the incoming rows by their values that only one row may have. */
  readonly taken = new Spool<string>();
  /** The keys of the stored rows that stay, in the same way. */
  readonly held = new Spool<string>();

  rows({ name }: Pick<Kind, 'name'>): Spool<StagedRow> {
    return this.#rows.get(name)!;
  }

  /** Adds to what is known of a row, which may be a new one. */
  update(kind: Kind, key: string, known: Partial<StagedRow>): void {
    const rows = this.rows(kind);
    const none = {
      key,
      line: null,
      text: null,
      isRepeated: false,
      incoming: null,
      stored: null,
      elements: [],
      isExpected: false,
    };
    rows.set(key, { ...none, ...rows.get(key), ...known });
  }

  changes({ name }: Kind, action: RowChange['action']): Spool<PlannedRow> {
    return this.#changes.get(`${name} ${action}`)!;
  }

  plan(kind: Kind, change: PlannedRow): void {
    this.changes(kind, change.action).set(placeOf(change), change);
    this.update(kind, change.key, { isExpected: change.to !== null });
  }

  /** Turns a planned change into a conflict: if the row is stored, it stays. `heldBy` is a row that refers to it. */
  skip(kind: Kind, change: PlannedRow, why: string, heldBy?: string): void {
    this.changes(kind, change.action).delete(placeOf(change));
    this.update(kind, change.key, { isExpected: change.from !== null });
    const finding = conflictFinding(kind, change, why);
    this.findings.add({ ...finding, value: heldBy ?? finding.value });
  }

  /** The change of a row that brings its id. */
  plannedChange(kind: Kind, key: string, action: RowChange['action']): PlannedRow | undefined {
    return this.changes(kind, action).get(`0 ${key}`);
  }

  /** The rows of a kind as they will be, if they bring their ids. */
  *formsAfter(kind: Kind): Generator<Form> {
    for (const { key, stored, isExpected } of this.rows(kind)) {
      if (!isExpected) continue;
      const changes = actions.map((action) => this.plannedChange(kind, key, action));
      const form = changes.find((change) => change !== undefined)?.to ?? stored;
      if (form) yield form;
    }
  }

  [Symbol.dispose](): void {
    const spools = [...this.#rows.values(), ...this.#changes.values(), this.taken, this.held];
    for (const each of [this.findings, ...spools]) each[Symbol.dispose]();
  }
}

/** Rows that get an id here go after all that bring one. */
function placeOf({ key, to }: PlannedRow): string {
  return `${to?.id === null ? 1 : 0} ${key}`;
}
