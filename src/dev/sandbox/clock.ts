import { setClockAhead } from '../../base/time/clock.ts';

/** The database keeps the clock, because an isolate may be replaced at any time. */
let isOpen = false;

/**
 * Makes this isolate and the database's triggers follow the sandbox's clock, once. The first isolate of a sandbox also copies the rows for a
 * later reset.
 */
export async function openClock(db: D1Database): Promise<void> {
  if (isOpen) return;
  const clock = "select 1 from sqlite_master where name = 'sandbox_clock'";
  if (!(await db.prepare(clock).first())) {
    const tables = await listParts(db, 'table');
    await db.batch([
      db.prepare('create table sandbox_clock as select 0 as ahead_milliseconds'),
      ...tables.map(({ name }) =>
        db.prepare(`create table sandbox_${name} as select * from ${name}`),
      ),
    ]);
  }
  await makeTriggersFollow(db);
  setClockAhead(
    (await db.prepare('select ahead_milliseconds from sandbox_clock').first('ahead_milliseconds'))!,
  );
  isOpen = true;
}

export async function setClock(db: D1Database, at: Date): Promise<void> {
  const ahead = at.getTime() - Date.now();
  await db.prepare('update sandbox_clock set ahead_milliseconds = ?').bind(ahead).run();
  setClockAhead(ahead);
}

const realTime = "'now')";
const movedTime = `'now', (SELECT (ahead_milliseconds / 1000.0) || ' seconds' FROM sandbox_clock))`;

/** Triggers take the time from SQLite, without the sandbox's clock. */
async function makeTriggersFollow(db: D1Database): Promise<void> {
  const triggers = await listParts(db, 'trigger');
  const real = triggers.filter(({ sql }) => sql.includes(realTime));
  if (real.length === 0) return;
  await db.batch(
    real.flatMap(({ name, sql }) => [
      db.prepare(`drop trigger ${name}`),
      db.prepare(sql.replaceAll(realTime, movedTime)),
    ]),
  );
}

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
