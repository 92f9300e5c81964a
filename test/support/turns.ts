import { vi } from 'vitest';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import { withMethods } from '../list/published.ts';

/** Sends a call of D1, or does not, and returns its result. */
export type Around = <Result>(send: () => Promise<Result>) => Promise<Result>;

/** The database, where each call of D1 is sent by `around`. */
export function aroundCalls(DB: D1Database, around: Around): Database {
  const wrapped = (statement: D1PreparedStatement): D1PreparedStatement =>
    withMethods(statement, {
      bind: (...values: unknown[]) => wrapped(statement.bind(...values)),
      all: () => around(() => statement.all()),
      raw: () => around(() => statement.raw()),
      run: () => around(() => statement.run()),
    });
  return openDatabase({
    prepare: (query) => wrapped(DB.prepare(query)),
    batch: (statements) => around(() => DB.batch(statements)),
  });
}

/**
 * Does the works at once. Their calls of D1 take turns: each time that all who are not done wait for theirs, one of them is
 * drawn, and his call is sent and answered. So the same draws lead to the same order. Each is as in an isolate of its own:
 * the turn that one takes at a row is over before another asks for it.
 */
export async function inTurns(
  works: readonly ((turn: Around) => Promise<unknown>)[],
  draw: (count: number) => number,
): Promise<void> {
  let asked = 0;
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => 60_000 * asked++);
  let note = Promise.withResolvers<void>();
  const callers = works.map((work) => {
    const caller = { calls: [] as (() => Promise<void>)[], isDone: false };
    const turn: Around = (send) =>
      new Promise((resolve, reject) => {
        caller.calls.push(() => send().then(resolve, reject));
        note.resolve();
      });
    const done = work(turn).finally(() => {
      caller.isDone = true;
      note.resolve();
    });
    return { caller, done };
  });
  for (;;) {
    const busy = callers.map(({ caller }) => caller).filter(({ isDone }) => !isDone);
    if (busy.length === 0) break;
    if (busy.every(({ calls }) => calls.length > 0))
      await busy[draw(busy.length)]!.calls.shift()!();
    else await note.promise;
    note = Promise.withResolvers();
  }
  await Promise.all(callers.map(({ done }) => done));
}
