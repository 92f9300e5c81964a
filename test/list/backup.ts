import type { Env } from '../../src/base/env.ts';

const tables = [
  'retained_domains',
  'disputes',
  'list_sources',
  'retained_changes',
  'list_publications',
  'list_leftovers',
];

/** The tables of the lists as they are, to be put back as a restore does: no trigger has the last word. */
export async function backUpDatabase({ DB }: Env): Promise<() => Promise<void>> {
  const selects = tables.map((table) => DB.prepare(`select * from ${table}`));
  const contents = await DB.batch<Record<string, unknown>>(selects);
  return async () => {
    const statements = tables.flatMap((table, index) => [
      DB.prepare(`delete from ${table}`),
      ...contents[index]!.results.map((row) => {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join(', ');
        return DB.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`).bind(
          ...Object.values(row),
        );
      }),
    ]);
    await DB.batch(statements);
  };
}

/** The keys of KV as they are, to be put back. */
export async function backUpKv({ LISTS }: Env): Promise<() => Promise<void>> {
  const { keys } = await LISTS.list();
  const values = await Promise.all(
    keys.map(async ({ name, metadata }) => {
      const value = await LISTS.get(name, 'arrayBuffer');
      return { name, value: value!, metadata };
    }),
  );
  return async () => {
    const present = await LISTS.list();
    await Promise.all(present.keys.map(({ name }) => LISTS.delete(name)));
    await Promise.all(
      values.map(({ name, value, metadata }) => LISTS.put(name, value, { metadata })),
    );
  };
}
