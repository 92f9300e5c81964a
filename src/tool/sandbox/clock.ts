import { setClockAhead } from '../../base/time/clock.ts';
import { copyRows, listParts } from './rows.ts';

/** Whether this isolate has read the clock. The database keeps it, because an isolate may be replaced at any time. */
let isOpen = false;

/**
 * Makes this isolate and the database's triggers follow the sandbox's clock; does nothing the second time. The first
 * isolate of a sandbox also copies the rows, for a later reset.
 */
export async function openClock(db: D1Database): Promise<void> {
  if (isOpen) return;
  const clock = "select 1 from sqlite_master where name = 'sandbox_clock'";
  if (!(await db.prepare(clock).first())) {
    await db.batch([
      db.prepare('create table sandbox_clock as select 0 as ahead_milliseconds'),
      ...(await copyRows(db)),
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

/** Triggers take the time from SQLite, which knows nothing of the sandbox's clock. */
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
