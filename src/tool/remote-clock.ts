import { RegistryError } from '../base/error.ts';
import { currentTime } from '../base/time/clock.ts';

const maximumMilliseconds = 10_000;

/**
 * Throws `invalid` if this machine's clock and the deployed database's differ by more than ten seconds: changes and
 * publications carry the time of the machine that makes them, and the archive assigns them to days by it. Costs one round
 * trip.
 */
export async function checkClock(db: D1Database, clock: () => Date = currentTime): Promise<void> {
  const before = clock();
  const query = db.prepare(`select strftime('%Y-%m-%dT%H:%M:%fZ', 'now') as now`);
  const now = await query.first<string>('now');
  const ahead = before.getTime() - Date.parse(now!);
  const behind = Date.parse(now!) - clock().getTime();
  if (Math.max(ahead, behind) <= maximumMilliseconds) return;
  const difference = `${Math.round(Math.max(ahead, behind) / 1000)} seconds ${ahead > 0 ? 'ahead of' : 'behind'}`;
  throw new RegistryError(
    'invalid',
    `this machine's clock is ${difference} the database's: set it`,
  );
}
