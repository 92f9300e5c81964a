import { pause } from '../base/database/retry.ts';
import { RegistryError } from '../base/error.ts';

/**
 * The rows that this isolate is writing, each with the time at which its turn ends at the latest. Requests may share the
 * map because it only prevents lost races: the database decides whose write takes effect. No request awaits another's
 * promise, which never settles if the other's client disconnects.
 */
const turns = new Map<string, number>();

const longestTurnMilliseconds = 1_000;
const longestWaitMilliseconds = 20_000;

export interface Turn {
  end(): void;
}

/** Returns undefined while another request of this isolate has the turn. */
export function takeTurn(row: string): Turn | undefined {
  const now = performance.now();
  for (const [other, until] of turns) if (until <= now) turns.delete(other);
  if (turns.has(row)) return undefined;
  const until = now + longestTurnMilliseconds;
  turns.set(row, until);
  return {
    end() {
      if (turns.get(row) === until) turns.delete(row);
    },
  };
}

/** Throws `busy` after twenty seconds. */
export async function waitForTurn(row: string): Promise<Turn> {
  const latest = performance.now() + longestWaitMilliseconds;
  for (let waits = 0; ; waits++) {
    const turn = takeTurn(row);
    if (turn) return turn;
    if (performance.now() > latest) throw busy();
    await pauseAtRandom(waits, 200);
  }
}

/** A row with so many lost races changes faster than it can be read. */
export const maximumLosses = 16;

export function pauseAfterLoss(losses: number): Promise<void> {
  return pauseAtRandom(losses, 1_000);
}

/** Full jitter, so that writers that collided do not collide again. */
function pauseAtRandom(attempts: number, longest: number): Promise<void> {
  return pause(Math.random() * Math.min(10 * 2 ** attempts, longest));
}

/** For use only if nothing has been written. */
export function busy(cause?: unknown): RegistryError {
  const message = 'Too many others are changing this now; nothing has changed, try again later';
  return Object.assign(new RegistryError('busy', message), { cause });
}
