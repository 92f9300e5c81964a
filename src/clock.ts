/**
 * The lead of the registry's time over the real one. Module state, because time is the same for all requests of an
 * isolate. Only a sandbox moves it; a deployment's bundle contains nothing that could.
 */
let aheadMilliseconds = 0;

/** The time by which every rule judges. Measure durations by the real clock instead. */
export function currentTime(): Date {
  return new Date(currentMilliseconds());
}

/** The same in milliseconds since 1970. */
export function currentMilliseconds(): number {
  return Date.now() + aheadMilliseconds;
}

/** The lead of the clock over the real one. */
export function clockAhead(): number {
  return aheadMilliseconds;
}

/** Moves the clock; 0 brings the real time back. */
export function setClockAhead(milliseconds: number): void {
  aheadMilliseconds = milliseconds;
}
