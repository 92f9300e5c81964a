import type { TestRegistry } from './tool.ts';

/** So many entries, one an hour from the beginning of 2020, of contacts and API users by turns. */
export const insertEntries = `
  with recursive n (n) as (select 1 union all select n + 1 from n where n < ?)
  insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, request_id, changes)
  select strftime('%Y-%m-%dT%H:%M:%fZ', '2020-01-01', n || ' hours'), iif(n % 2, 'contact', 'api_user'), 'ALPHA:' || n, 'uuid-' || n, 'create',
    'operator', 'Operator ats', 'request-' || n, json_object('name', json_object('from', null, 'to', 'Õ' || char(8232) || n))
  from n`;

/** The ids of the entries in an archive, in its order. */
export const idsOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).id as number);

export const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

export async function addEntries(registry: TestRegistry, count: number): Promise<void> {
  const { env, dispose } = await registry.open();
  await env.DB.prepare(insertEntries).bind(count).run();
  await dispose();
}

/** The ids of the entries that are left in the history of a registry. */
export async function idsLeft(registry: TestRegistry): Promise<number[]> {
  return ((await registry.rows()).history as { id: number }[]).map(({ id }) => id);
}
