import { setClockAhead } from '../../clock.ts';

/** Whether this isolate has read the clock: it is the database's, and an isolate may begin again at any time. */
let isOpen = false;

/** Makes this isolate and the database's triggers follow the sandbox's clock; does nothing the second time. */
export async function openClock(db: D1Database): Promise<void> {
  if (isOpen) return;
  const [, , clock] = await db.batch<{ ahead_milliseconds: number }>([
    db.prepare('create table if not exists sandbox_clock (ahead_milliseconds integer not null)'),
    db.prepare('insert into sandbox_clock select 0 where not exists (select 1 from sandbox_clock)'),
    db.prepare('select ahead_milliseconds from sandbox_clock'),
  ]);
  await makeTriggersFollow(db);
  setClockAhead(clock!.results[0]!.ahead_milliseconds);
  isOpen = true;
}

/** Sets the clock, from where it goes on. */
export async function setClock(db: D1Database, at: Date): Promise<void> {
  const ahead = at.getTime() - Date.now();
  await db.prepare('update sandbox_clock set ahead_milliseconds = ?').bind(ahead).run();
  setClockAhead(ahead);
}

const realTime = "'now')";
const movedTime = `'now', (SELECT (ahead_milliseconds / 1000.0) || ' seconds' FROM sandbox_clock))`;

/** The triggers ask SQLite for the time, which knows nothing of the sandbox's clock. */
async function makeTriggersFollow(db: D1Database): Promise<void> {
  const triggers = await listTriggers(db);
  const real = triggers.filter(({ sql }) => sql.includes(realTime));
  if (real.length === 0) return;
  await db.batch(
    real.flatMap(({ name, sql }) => [
      db.prepare(`drop trigger ${name}`),
      db.prepare(sql.replaceAll(realTime, movedTime)),
    ]),
  );
}

/** The database's triggers, each with the statement that creates it. */
export async function listTriggers(db: D1Database): Promise<{ name: string; sql: string }[]> {
  const { results } = await db
    .prepare("select name, sql from sqlite_master where type = 'trigger'")
    .all<{ name: string; sql: string }>();
  return results;
}
