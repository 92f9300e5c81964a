/**
 * How far the registry's time is ahead of the real one. Only a sandbox moves it; a deployment's bundle has no code for
 * that.
 */
let aheadMilliseconds = 0;

/** The time of every rule. Measure durations by the real clock. */
export function currentTime(): Date {
  return new Date(Date.now() + aheadMilliseconds);
}

export function clockAhead(): number {
  return aheadMilliseconds;
}

export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}

/**
 * True if less than this time has passed since an instant. Memory keeps the instant of reading, not of expiry: after
 * the clock was set back, that instant lies ahead and is not recent.
 */
export function isRecent(instant: number, now: number, milliseconds: number): boolean {
  const age = now - instant;
  return age >= 0 && age < milliseconds;
}

/** In the database's form of times; `milliseconds` may be negative. */
export function timeAfter(instant: Date, milliseconds: number): string {
  return new Date(instant.getTime() + milliseconds).toISOString();
}
