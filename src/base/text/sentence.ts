/** A thing that a sentence names, and that has a page on the desk. */
export interface Thing {
  kind: 'name' | 'contact' | 'registrar' | 'request' | 'disclosure';
  key: string;
  /** For a contact only: its code may now be another contact's. */
  uuid?: string | null;
  /** Of a contact in the past, whose name was perhaps another's: its present name is none, or called so. */
  named?: 'never' | 'now';
}

/** A part of a sentence that programs read as it is stored, and people in other words. */
export type Term =
  | { day: string }
  | { instant: string }
  /** In the format of `creator_str`. */
  | { actor: string }
  /** The name of a field. */
  | { field: string }
  | { field: string; value: unknown }
  /** People's own words, which may be written from right to left. */
  | { text: string };

type Part = string | Thing | Term;

/** A sentence for people, as data. */
export type Sentence = readonly Part[];

/** A tag of templates: sentence`ended at ${{ instant }}`. Sentences may be parts of others. */
export function sentence(
  texts: readonly string[],
  ...parts: readonly (Part | Sentence)[]
): Sentence {
  return texts.flatMap((text, index) => [text, parts[index] ?? []].flat());
}

/** Adds the kind to a disclosure's number. */
export const labelOf = ({ kind, key }: Thing) => (kind === 'disclosure' ? `${kind} ${key}` : key);

/** For programs, logs and the terminal. */
export function plainText(sentence: Sentence): string {
  const parts = sentence.map((part) => {
    if (typeof part === 'string') return part;
    if ('kind' in part) return labelOf(part);
    return 'value' in part ? [part.value].flat().join(', ') : Object.values(part).join();
  });
  return parts.join('');
}
