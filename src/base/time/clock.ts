/**
 * How far the registry's time is ahead of the real one. Only a sandbox moves it; a deployment's bundle contains
 * nothing that could.
 */
let aheadMilliseconds = 0;

/** Every rule judges by this time. Measure durations by the real clock instead. */
export function currentTime(): Date {
  return new Date(Date.now() + aheadMilliseconds);
}

export function clockAhead(): number {
  return aheadMilliseconds;
}

/** 0 brings the real time back. */
export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}

/**
 * Whether less than this time has passed since an instant. What is kept in memory keeps the instant at which it was
 * read, not the one at which it ends: after the clock was set back, nothing that was read before is recent.
 */
export function isRecent(instant: number, now: number, milliseconds: number): boolean {
  const age = now - instant;
  return age >= 0 && age < milliseconds;
}

/** In the form in which the database keeps times; `milliseconds` may be negative. */
export function timeAfter(instant: Date, milliseconds: number): string {
  return new Date(instant.getTime() + milliseconds).toISOString();
}
