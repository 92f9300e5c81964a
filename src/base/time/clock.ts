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

/** In the form in which the database keeps times; `milliseconds` may be negative. */
export function timeAfter(instant: Date, milliseconds: number): string {
  return new Date(instant.getTime() + milliseconds).toISOString();
}
