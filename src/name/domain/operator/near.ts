import { inArray, sql } from 'drizzle-orm';
import {
  auctions,
  disputes,
  domains,
  history,
  retainedDomains,
} from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { NameRules } from '../../../base/env.ts';
import { RegistryError } from '../../../base/error.ts';
import {
  hostWithin,
  maximumLabelOctets,
  maximumNameOctets,
  nameOpenedFor,
} from '../../../base/text/domain-name.ts';
import { editsOf } from '../../../contact/operator/words.ts';
import { findDomainName, nameSubjects, namesAbove } from './name.ts';

/** Reads a name in any spelling, also in the address of a page. Neither for a text that is not meant as a name. */
export async function nameWithin(
  db: Database,
  text: string,
): Promise<{ name?: string | undefined; refusal?: string }> {
  if (!text.includes('.') || text.includes('@')) return {};
  try {
    return { name: (await findDomainName(db, hostWithin(text))).name };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const name = nameOpenedFor(text)?.name;
    return name || /\s/.test(text) ? { name } : { refusal: error.message };
  }
}

const maximumNames = 10;
/** A label may have more spellings with other accents. */
const maximumSpellings = 500;
/** Each reads five rows. A label of more than thirty letters may have more near spellings. */
const maximumLookups = 3_000;
const plainLetters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Finds at most ten names, present or past, that are like this one: itself, those above it, and those whose first label
 * has other accents, or one character more, less or other, or two exchanged. A text without a dot is a label in any of
 * the zones, with such a mistake in the first. Looks up some thousand names in indexes.
 */
export async function findNearNames(
  db: Database,
  text: string,
  { zones, letters }: NameRules,
): Promise<string[]> {
  const [label = '', ...others] = text.split('.');
  if (text.length > maximumNameOctets || label.length > maximumLabelOctets) return [];
  const endings = others.length > 0 ? [others.join('.')] : zones;
  const table = [...plainLetters, ...(letters || 'äöõüšž')];
  const edits = editsOf(label, [...table, ...'0123456789-']);
  const labels = [label, ...spellings(label, table)];
  const near = [
    ...endings.flatMap((ending) => labels.map((spelling) => `${spelling}.${ending}`)),
    ...endings.slice(0, 1).flatMap((ending) => edits.map((edit) => `${edit}.${ending}`)),
  ].slice(0, maximumLookups);
  const rows = await db.all<{ name: string }>(sql`
    select distinct value as name from json_each(${JSON.stringify([...namesAbove(text), ...near])})
    where exists (select 1 from ${domains} where name = value)
      or exists (select 1 from ${retainedDomains} where name = value)
      or exists (select 1 from ${disputes} where name = value)
      or exists (select 1 from ${auctions} where name = value)
      or exists (select 1 from ${history} where subject_key = value
        and ${inArray(history.subject, nameSubjects)})
    limit ${maximumNames}`);
  return rows.map(({ name }) => name);
}

const withoutAccent = (letter: string) => letter.normalize('NFD')[0];

function spellings(label: string, table: readonly string[]): string[] {
  let heads = [''];
  for (const letter of label) {
    const alike = table.filter((other) => withoutAccent(other) === withoutAccent(letter));
    const next = alike.length > 0 ? alike : [letter];
    heads = heads.flatMap((head) => next.map((end) => head + end)).slice(0, maximumSpellings);
  }
  return heads;
}
