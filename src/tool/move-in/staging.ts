import { Spool } from '../files/spool.ts';
import type { Rows } from '../report/progress.ts';
import type { Form, Kind } from './kinds/kind.ts';

/** What the lines with a key say. */
interface Line {
  /** The key as the line writes it. */
  text: string | null;
  isRepeated?: boolean;
  /** One of them is not refused. */
  isGood?: boolean;
  /** The row is of no use any more. */
  isOver?: boolean;
}

/** What was read from files. */
export class Staging implements Disposable {
  readonly #lines = new Spool<Line>();
  readonly #forms = new Spool<Form>();

  find(kind: string, key: string): Line | undefined {
    return this.#lines.get(`${kind} ${key}`);
  }

  /** Sets what a line says, with the row unless it is refused. A good line replaces one that was refused. */
  set(kind: Kind, key: string, form: Form | undefined, line: Line): void {
    const place = `${kind.name} ${key}`;
    const known = this.#lines.get(place);
    const text = form || !known ? line.text : known.text;
    const isGood = form !== undefined || (known?.isGood ?? false);
    this.#lines.set(place, { ...line, text, isRepeated: known !== undefined, isGood });
    if (form) this.#forms.set(place, form);
  }

  /** Takes values that no two rows share; returns the column of the first that is taken. */
  take({ name }: Kind, values: Form): string | undefined {
    const given = Object.entries(values).filter(([, value]) => value !== null);
    const places = given.map(([column, value]): [string, string] => [
      column,
      `=${name} ${column} ${value}`,
    ]);
    const [taken] = places.find(([, place]) => this.#lines.get(place)) ?? [];
    if (taken === undefined) for (const [, place] of places) this.#lines.set(place, { text: null });
    return taken;
  }

  /** The rows of a kind that are not refused, in the order of their keys. */
  forms({ name }: Kind): Generator<Form> {
    return this.#forms.values(`${name} `);
  }

  rows({ name }: Kind): Rows<Form> {
    const chunks = (size: number) => this.#forms.chunks(size, `${name} `);
    return { length: this.#forms.count(`${name} `), chunks };
  }

  /** The rows of a part that belong to a row of another kind. */
  owned({ name, key }: Kind, owner: string): Form[] {
    // A code may be another one up to a space.
    const forms = [...this.#forms.values(`${name} ${owner} `)];
    return forms.filter((form) => form[key[0]!] === owner);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
    this.#forms[Symbol.dispose]();
  }
}
