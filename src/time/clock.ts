/**
 * The lead of the registry's time over the real one. Module state, because time is the same for all requests of an
 * isolate. Only a sandbox moves it; a deployment's bundle contains nothing that could.
 */
let aheadMilliseconds = 0;

/** The time by which every rule judges. Measure durations by the real clock instead. */
export function currentTime(): Date {
  return new Date(Date.now() + aheadMilliseconds);
}

export function clockAhead(): number {
  return aheadMilliseconds;
}

/** Moves the clock; 0 brings the real time back. */
export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}

/** The time so many milliseconds after an instant, or before it, as the database keeps times. */
export function timeAfter(instant: Date, milliseconds: number): string {
  return new Date(instant.getTime() + milliseconds).toISOString();
}
