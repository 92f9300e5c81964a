import { sql } from 'drizzle-orm';
import type { Database } from '../base/database/open.ts';
import { labelOf, type Sentence, type Thing } from '../base/text/sentence.ts';
import { openingText, termText } from './words.ts';

interface Named {
  name: string;
  /** What must be said wherever the thing is named, or null. */
  state: string | null;
}

/** Returns the name of a contact or registrar, undefined without one. Simultaneous look-ups share one round trip. */
export type Naming = (thing: Thing) => Promise<Named | undefined>;

export function namingIn(db: Database): Naming {
  let asked: string[] = [];
  let answer: Promise<Map<string, Named>> | undefined;
  const read = async () => {
    const keys = JSON.stringify(asked);
    [asked, answer] = [[], undefined];
    const wanted = sql`select value from json_each(${keys})`;
    const rows = await db.all<Named & { key: string }>(sql`
      select 'registrar ' || code as key, name, iif(suspended_at is null, null, 'suspended') as state
        from registrars where code in (${wanted})
      union all select 'contact ' || code, name, null from contacts where code in (${wanted})
      union all select 'contact ' || uuid, name, null from contacts where uuid in (${wanted})`);
    return new Map(rows.map(({ key, ...named }) => [key, named]));
  };
  return async ({ kind, key, uuid, named }) => {
    if (named === 'never' || (kind !== 'contact' && kind !== 'registrar')) return undefined;
    asked.push(uuid ?? key);
    answer ??= Promise.resolve().then(read);
    return (await answer).get(`${kind} ${uuid ?? key}`);
  };
}

/** `tamm.ee is registered with Alpha OÜ (ALPHA, suspended).` */
export async function sentenceText(sentence: Sentence, nameOf: Naming): Promise<string> {
  const parts = sentence.map(async (part, index) => {
    if (typeof part === 'string') return part;
    if (!('kind' in part)) return index === 0 ? openingText(part) : termText(part);
    const found = await nameOf(part);
    if (found === undefined) return labelOf(part);
    if (part.named) return `${labelOf(part)} (now ${found.name})`;
    return `${found.name} (${[labelOf(part), found.state].filter(Boolean).join(', ')})`;
  });
  return (await Promise.all(parts)).join('');
}

/** The parts with commas between them. */
export const joinThings = (parts: readonly Thing[]): Sentence =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
