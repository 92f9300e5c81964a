import { desc } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { RegistryError } from '../base/error.ts';
import { clockAhead, currentTime } from '../base/time/clock.ts';
import { countText } from '../view/text.ts';
import { say } from './report/output.ts';

/** Changes and publications have this machine's time, which decides their day in the archive. */
const maximumDifference = 10_000;
/** Another machine, or the Worker, may have written the newest entry. */
const maximumBehind = 5 * 60_000;
const day = 24 * 60 * 60_000;

/** Throws `invalid` if this machine's clock and the deployed database's differ by more. One round trip. */
export async function checkClock(db: D1Database): Promise<void> {
  const before = currentTime().getTime();
  const query = db.prepare(`select strftime('%Y-%m-%dT%H:%M:%fZ', 'now') as now`);
  const now = Date.parse((await query.first<string>('now'))!);
  if (Math.max(before - now, now - currentTime().getTime()) <= maximumDifference) return;
  const difference = `${Math.round((before - now) / 1000)} seconds from`;
  throw new RegistryError(
    'invalid',
    `this machine's clock is ${difference} the database's: set it`,
  );
}

/** Throws `invalid` for a clock that is before the release: then this machine has lost its time. */
export function checkAfterRelease(releaseDay: string, wayOut = setOrInsist): void {
  const now = currentTime();
  if (now.toISOString() >= releaseDay) return;
  throw wrongClock(now, `before this release (${releaseDay})`, wayOut);
}

/**
 * Compares the clock with the newest entry of the history. Throws `invalid` if it is more than five minutes earlier. If
 * it is more than a day later, which may also be because nobody has changed anything, says so, but not of a backup.
 */
export async function checkClockByHistory(db: Database, { isBackup = false } = {}): Promise<void> {
  const columns = { at: history.occurredAt };
  const [newest] = await db.select(columns).from(history).orderBy(desc(history.id)).limit(1);
  if (!newest) return;
  const now = currentTime();
  const ahead = now.getTime() - Date.parse(newest.at);
  if (ahead < -maximumBehind) {
    throw wrongClock(now, `before the newest entry of the history (${newest.at})`);
  }
  // A sandbox moves its clock on purpose.
  if (ahead < day || clockAhead() !== 0 || isBackup) return;
  const days = countText(Math.floor(ahead / day), 'day');
  say(
    `note: this machine's clock says ${now.toISOString()}, ${days} after the newest entry of the history (${newest.at}); if it is wrong, set it before you change anything else`,
  );
}

const setOrInsist = 'so nothing was written: set it, or, if it is right, add --clock-is-right';

function wrongClock(now: Date, why: string, wayOut = setOrInsist): RegistryError {
  const message = `this machine's clock says ${now.toISOString()}, which is ${why}, ${wayOut}`;
  return new RegistryError('invalid', message);
}
