/** The tables or the triggers of the registry. */
export async function listParts(db: D1Database, type: 'table' | 'trigger') {
  const { results } = await db
    .prepare(
      `select name, sql from sqlite_master where type = ? and name <> 'd1_migrations'
       and name not glob 'sqlite_*' and name not glob '_cf_*' and name not glob 'sandbox_*'`,
    )
    .bind(type)
    .all<{ name: string; sql: string }>();
  return results;
}

/** The statements that copy every row for a later `restoreRows`. */
export async function copyRows(db: D1Database): Promise<D1PreparedStatement[]> {
  const tables = await listParts(db, 'table');
  return tables.map(({ name }) =>
    db.prepare(`create table sandbox_${name} as select * from ${name}`),
  );
}

/** Replaces all rows by the copied ones in one batch, without the triggers, some of which refuse deletions. */
export async function restoreRows(db: D1Database): Promise<void> {
  const tables = await listParts(db, 'table');
  const triggers = await listParts(db, 'trigger');
  await db.batch([
    db.prepare('pragma defer_foreign_keys = on'),
    ...triggers.map(({ name }) => db.prepare(`drop trigger ${name}`)),
    ...tables.map(({ name }) => db.prepare(`delete from ${name}`)),
    // Then ids continue as they did when the rows were copied.
    db.prepare("delete from sqlite_sequence where name <> 'd1_migrations'"),
    ...tables.map(({ name }) => db.prepare(`insert into ${name} select * from sandbox_${name}`)),
    ...triggers.map(({ sql }) => db.prepare(sql)),
  ]);
}
