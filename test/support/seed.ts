import { jsonArrays } from '../../src/base/database/json-rows.ts';
import type { Env } from '../../src/base/env.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import type { DomainName } from '../../src/name/name.ts';
import { addRegistrar } from './fixtures.ts';

const timestamp = '2026-01-02T03:04:05.678Z';
const rowsPerStatement = 10_000;

export interface SeededRegistrar {
  id: number;
  code: string;
  authorization: string;
}

/** A registrar with an API user and this many contacts, written by the database itself: triggers keep the counters. */
export async function seedRegistrar(env: Env, contactCount: number): Promise<SeededRegistrar> {
  const code = `BENCH${contactCount}`;
  const { id, authorization } = await addRegistrar(env, { code });
  for (let first = 1; first <= contactCount; first += rowsPerStatement) {
    const last = Math.min(first + rowsPerStatement - 1, contactCount);
    await env.DB.prepare(contactsFrom).bind(first, last, id, code, timestamp).run();
  }
  return { id, code, authorization };
}

const contactsFrom = `
  insert into contacts (uuid, registrar_id, number, code, name, name_key, org_name, email, email_key, phone, ident, ident_key, ident_type,
    ident_country_code, street, city, zip, country_code, auth_info, creator, created_at, updated_at)
  with recursive numbers (n) as (select cast(?1 as integer) union all select n + 1 from numbers where n < ?2)
  select lower(hex(randomblob(16))), ?3, n, ?4 || ':' || printf('%08X', n), 'Mari Maasikas ' || n, 'MARI MAASIKAS ' || n, null,
    'mari' || n || '@example.ee', 'MARI' || n || '@EXAMPLE.EE', '+372.5' || printf('%06d', n % 1000000), printf('%08d', n), printf('%08d', n), 'org', 'EE',
    'Pikk ' || n, 'Tallinn', '10123', 'EE', lower(hex(randomblob(11))), '1-ApiUser: ' || lower(?4), ?5, ?5
  from numbers`;

const syllables = [
  ...['ka', 'le', 'mi', 'tu', 'pa', 'ri', 'so', 'va'],
  ...['nu', 'he', 'jo', 'ta', 'li', 'me', 'ko', 'sa'],
  ...['raud', 'maa', 'kivi', 'mets', 'jõe', 'pank', 'auto', 'töö', 'pood', 'ring', 'tall', 'kodu'],
  ...['ne', 'ga', 'do', 'bu', 'fi', 'pro', 'net', 'ex', 'in', 'est', 'üks', 'koo'],
];
const combinations = syllables.length ** 4;
/** A prime, so that each number up to `combinations` gives another name, and neighbours no likeness. */
const stride = 1_000_003;

/** The n-th of names as a registry has them: of four syllables, one in some international. */
export function nameOf(n: number): DomainName {
  let rest = (n * stride) % combinations;
  let name = '';
  for (let count = 0; count < 4; count++) {
    name += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return parseDomainName(`${name}${n}.ee`);
}

/** That many auctions in progress, none of which is published yet. */
export async function seedAuctions(env: Env, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const { name, punycode } = nameOf(2_000_000 + n);
    return [crypto.randomUUID(), name, punycode];
  });
  const statements = jsonArrays(rows).map((array) =>
    env.DB.prepare(
      `insert into auctions (uuid, name, punycode, status, created_at, updated_at)
       select value ->> 0, value ->> 1, value ->> 2, 'started', ?1, ?1 from json_each(?2)`,
    ).bind(timestamp, array),
  );
  await env.DB.batch(statements);
}

/**
 * That many retained names, reserved and blocked in turn. The triggers, which would take most of the time, are away
 * meanwhile; the lists have new versions at the end, and nothing in the journal.
 */
export async function seedRetainedNames(env: Env, count: number): Promise<void> {
  const { results: triggers } = await env.DB.prepare(
    "select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'retained_domains'",
  ).all<{ name: string; sql: string }>();
  await env.DB.batch(triggers.map(({ name }) => env.DB.prepare(`drop trigger ${name}`)));
  for (let first = 0; first < count; first += rowsPerStatement) {
    const rows = Array.from({ length: Math.min(rowsPerStatement, count - first) }, (_, index) => {
      const { name, punycode } = nameOf(first + index);
      return [name, punycode, index % 2 === 0 ? 'reserved' : 'blocked'];
    });
    await env.DB.batch(
      jsonArrays(rows).map((array) =>
        env.DB.prepare(
          `insert into retained_domains (name, punycode, status, created_at)
           select value ->> 0, value ->> 1, value ->> 2, ?1 from json_each(?2)`,
        ).bind(timestamp, array),
      ),
    );
  }
  await env.DB.batch([
    ...triggers.map(({ sql }) => env.DB.prepare(sql)),
    env.DB.prepare(
      'update list_sources set reserved = abs(random()) >> 11, blocked = abs(random()) >> 11',
    ),
  ]);
}
