import type { Env } from '../src/env.ts';
import { digestSecret } from '../src/registrar.ts';

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
  const username = code.toLowerCase();
  const secret = crypto.randomUUID();
  const { meta } = await env.DB.prepare(
    'insert into registrars (code, name, created_at, updated_at) values (?1, ?1, ?2, ?2)',
  )
    .bind(code, timestamp)
    .run();
  const id = meta.last_row_id;
  await env.DB.prepare(
    `insert into api_users (registrar_id, username, secret_digest, created_at, updated_at)
     values (?1, ?2, ?3, ?4, ?4)`,
  )
    .bind(id, username, await digestSecret(secret), timestamp)
    .run();
  for (let first = 1; first <= contactCount; first += rowsPerStatement) {
    const last = Math.min(first + rowsPerStatement - 1, contactCount);
    await env.DB.prepare(contactsFrom).bind(first, last, id, code, timestamp).run();
  }
  const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  return { id, code, authorization };
}

const contactsFrom = `
  insert into contacts (uuid, registrar_id, number, code, name, org_name, email, phone, ident, ident_type,
    ident_country_code, street, city, zip, country_code, auth_info, creator, created_at, updated_at)
  with recursive numbers (n) as (select cast(?1 as integer) union all select n + 1 from numbers where n < ?2)
  select lower(hex(randomblob(16))), ?3, n, ?4 || ':' || printf('%08X', n), 'Mari Maasikas ' || n, null,
    'mari' || n || '@example.ee', '+372.5' || printf('%06d', n % 1000000), printf('%08d', n), 'org', 'EE',
    'Pikk ' || n, 'Tallinn', '10123', 'EE', lower(hex(randomblob(11))), '1-ApiUser: ' || lower(?4), ?5, ?5
  from numbers`;
