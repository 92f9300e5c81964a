import { asc, eq } from 'drizzle-orm';
import {
  auctions,
  contactStatuses,
  contacts,
  history as entries,
  type history,
} from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { nextVersion } from '../../src/contact/contact.ts';
import { contactColumns } from '../../src/contact/fields.ts';

type ContactRow = typeof contacts.$inferSelect;
type AuctionRow = typeof auctions.$inferSelect;
type Entry = typeof history.$inferSelect;

/** Rows that builders planted: they have no history of their creation. */
export interface Planted {
  contacts?: readonly ContactRow[];
  auctions?: readonly AuctionRow[];
}

/** Each gives a row for whatever breaks it. */
const queries: Record<string, string> = {
  'contact_count is the number of contacts': `
    select code, contact_count from registrars
    where contact_count <> (select count(*) from contacts where registrar_id = registrars.id)`,
  'contact_blocks count the contacts of each block': `
    select * from (
      select registrar_id, number >> 10 as block, count(*) as n from contacts group by 1, 2
      union all
      select registrar_id, block, -count from contact_blocks
    ) group by registrar_id, block having sum(n) <> 0`,
  'domain_count is the number of domains that refer to the contact': `
    select code, domain_count from contacts
    where domain_count <> (select count(*) from domain_contacts where contact_id = contacts.id)`,
  'statuses are known ones': `
    select code, value from contacts, json_each(statuses)
    where value not in (${contactStatuses.map((status) => `'${status}'`).join(', ')})`,
  'codes begin with the prefix of their registrar': `
    select contacts.code from contacts join registrars on registrars.id = registrar_id
    where substr(contacts.code, 1, length(registrars.code) + 1) <> registrars.code || ':'`,
  'a name has at most one auction in progress': `
    select name from auctions where status = 'started' group by name having count(*) > 1`,
  'a registration code is there exactly while the auction is paid': `
    select uuid from auctions where (status = 'payment_received') <> (registration_code is not null)`,
  'an outcome is kept for a write that was done': `
    select caller, key from idempotency_keys where not ifnull(json_valid(outcome), 0)`,
  'a registrar is told of each change that a registrant makes': `
    select subject_key, count(*) as n from history
    where subject = 'contact' and actor_type = 'registrant' group by subject_key
    having n <> (select count(*) from notifications where notifications.subject_key = history.subject_key and event = 'contact.updated' and fields <> '[]')`,
  'foreign keys lead to rows': 'select * from pragma_foreign_key_check()',
};

/** Contradictions within the database, or between it and the history; empty where all is well. */
export async function brokenInvariants(env: Env, planted: Planted = {}): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const { results } = await env.DB.prepare(query).all();
    if (results.length > 0) broken.push(`${name}: ${JSON.stringify(results.slice(0, 3))}`);
  }
  const db = openDatabase(env.DB);
  const rowsOf = {
    contact: await db.select().from(contacts),
    auction: await db.select().from(auctions),
  };
  for (const subject of ['contact', 'auction'] as const) {
    const known = (subject === 'contact' ? planted.contacts : planted.auctions) ?? [];
    const told = await db
      .select()
      .from(entries)
      .where(eq(entries.subject, subject))
      .orderBy(asc(entries.id));
    broken.push(...unexplained(subject, known, told, rowsOf[subject]));
  }
  return broken;
}

/** Fields whose values history holds. */
const recordedFields: Record<'contact' | 'auction', string[]> = {
  contact: contactColumns
    .filter(([column, { sentBy }]) => sentBy.includes('registrar') && column !== 'authInfo')
    .map(([column]) => column),
  auction: ['name', 'punycode', 'status', 'registrationDeadline'],
};

type Fields = Record<string, unknown>;

interface Told {
  fields: Fields | undefined;
  version: number;
  updatedAt?: string;
}

/** Replays the history from the first entry, and tells where it does not lead to the rows as they are. */
function unexplained(
  subject: 'contact' | 'auction',
  planted: readonly (ContactRow | AuctionRow)[],
  told: readonly Entry[],
  rows: readonly (ContactRow | AuctionRow)[],
): string[] {
  const broken: string[] = [];
  const states = new Map<string, Told>(
    planted.map((row) => [
      row.uuid,
      { fields: row as unknown as Fields, version: row.version, updatedAt: row.updatedAt },
    ]),
  );
  const timeOf = changeTimes(planted);
  for (const { id, subjectKey, subjectUuid, action, changes, occurredAt } of told) {
    const uuid = String(subjectUuid);
    const state = states.get(uuid);
    const fields = state?.fields;
    if ((action === 'create') !== (fields === undefined)) {
      broken.push(
        `${subject} ${uuid}: ${action} in entry ${id} of what is ${fields ? '' : 'not '}there`,
      );
    }
    const next: Fields = { ...fields };
    for (const [field, change] of Object.entries(changes)) {
      if (!('from' in change)) continue;
      if (!isSame(next[field], change.from)) {
        broken.push(
          `${subject} ${uuid}: entry ${id} says ${field} was ${JSON.stringify(change.from)}`,
        );
      }
      next[field] = change.to;
    }
    states.set(uuid, {
      fields: action === 'delete' ? undefined : next,
      version:
        subject === 'contact'
          ? nextVersion(new Date(occurredAt), fields && state?.version)
          : (state?.version ?? 0) + 1,
      updatedAt: action === 'delete' ? occurredAt : timeOf(subjectKey, occurredAt),
    });
  }
  const byUuid = new Map(rows.map((row) => [row.uuid, row as unknown as Fields]));
  for (const [uuid, { fields, version, updatedAt }] of states) {
    const row = byUuid.get(uuid);
    byUuid.delete(uuid);
    if (!fields || !row) {
      if (fields || row)
        broken.push(`${subject} ${uuid}: ${row ? 'deleted' : 'lost'} but for the history`);
      continue;
    }
    const wrong = recordedFields[subject].filter((field) => !isSame(row[field], fields[field]));
    if (row.version !== version) wrong.push('version');
    if (row.updatedAt !== updatedAt) wrong.push('updatedAt');
    if (wrong.length > 0)
      broken.push(`${subject} ${uuid}: history does not explain ${wrong.join(', ')}`);
  }
  for (const uuid of byUuid.keys()) broken.push(`${subject} ${uuid}: there without history`);
  return broken;
}

/**
 * The `updated_at` of changes in the order in which they were written: for a contact, later than those of all the
 * registrar's contacts before.
 */
function changeTimes(planted: readonly (ContactRow | AuctionRow)[]) {
  const latest = new Map<string, number>();
  const changed = (key: string, at: string) => {
    if (!key.includes(':')) return at;
    const registrar = key.slice(0, key.indexOf(':'));
    const time = Math.max(Date.parse(at), (latest.get(registrar) ?? 0) + 1);
    latest.set(registrar, time);
    return new Date(time).toISOString();
  };
  const sorted = planted.toSorted((one, other) => one.updatedAt.localeCompare(other.updatedAt));
  for (const row of sorted)
    if ('code' in row) latest.set(row.code.split(':')[0]!, Date.parse(row.updatedAt));
  return changed;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
