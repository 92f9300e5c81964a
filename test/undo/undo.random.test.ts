import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { history } from '../../drizzle/schema.ts';
import type { Origin } from '../../src/change/origin.ts';
import type { Reversal } from '../../src/undo/reversal.ts';
import { planRevert, type RevertPlan, revert } from '../../src/undo/revert.ts';
import { operator } from '../support/fixtures.ts';
import {
  commands,
  type Numbers,
  newPool,
  type Pool,
  snapshotOf,
  unlessRefused,
} from '../support/random-changes.ts';
import { runs } from '../support/run.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

/** The key in a snapshot of what a reversal changes. */
function placeOf({ subject, key, changes }: Reversal): string {
  if (subject !== 'retained_domain') return `${subject} ${key}`;
  const { status } = changes;
  const given = status && 'from' in status ? (status.from ?? status.to) : 'reserved';
  return `${subject} ${key} ${given}`;
}

/** Runs the plan, and holds its outcome to what it promised and to what was there before the request. */
async function holdToPlan(origin: Origin, plan: RevertPlan, pool: Pool, before: Snapshot) {
  const expected = await snapshotOf(worker.db, pool);
  for (const place of plan.reversals.map(placeOf)) {
    if (before.has(place)) expected.set(place, before.get(place));
    else expected.delete(place);
  }
  await revert({ db: worker.db, origin }, plan);
  expect(Object.fromEntries(await snapshotOf(worker.db, pool))).toEqual(
    Object.fromEntries(expected),
  );
  const entries = await worker.db
    .select()
    .from(history)
    .where(eq(history.requestId, origin.request.requestId));
  const made = entries.map(({ action, subject, subjectKey }) => [action, subject, subjectKey]);
  const promised = plan.reversals.map(({ action, subject, key }) => [action, subject, key]);
  expect(made.sort()).toEqual(promised.sort());
}

type Snapshot = Awaited<ReturnType<typeof snapshotOf>>;

type Step = readonly [name: string, numbers: Numbers];

/** A command, or several where the code of a former contact of a domain is given to somebody else. */
const stepsOf = ([name, numbers]: Step): Step[] => {
  if (name !== 'give code away') return [[name, numbers]];
  const codes = numbers.map((n): Step => ['import contacts', [n, n, n]]);
  return [
    ...codes,
    ['import domains', numbers],
    ['remove domains', numbers],
    ['delete contact', [numbers[2], 0, 0]],
    codes[2]!,
    // The removal.
    ['revert', [2, 0, 0]],
  ];
};

const numbers = fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11));
const steps = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('give code away', ...Object.keys(commands)), numbers),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant('revert'), numbers) },
  ),
  { minLength: 15, maxLength: 40 },
);

test('whatever was undone is as it was before, in any order, and each plan is carried out as promised', async () => {
  let reverts = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const pool = await newPool(worker.env);
      const past: { request: string; before: Snapshot }[] = [];
      // So that the first commands find something.
      const begin: Step = ['import contacts', [0, 4, 0]];
      for (const [name, given] of [begin, ...drawn.flatMap(stepsOf)]) {
        const now = new Date(Date.UTC(2026, 4, 31, past.length));
        const request = { at: now, requestId: crypto.randomUUID() };
        const origin = { actor: operator.actor, request };
        const before = await snapshotOf(worker.db, pool);
        if (name !== 'revert') {
          await unlessRefused(commands[name]!(worker.db, origin, pool, given));
        } else {
          const [newest] = given;
          const target = past.at(-1 - (newest % past.length))!;
          const plan = await unlessRefused(planRevert({ db: worker.db, origin }, target.request));
          if (!plan || plan.reversals.length === 0) continue;
          await holdToPlan(origin, plan, pool, target.before);
          reverts += 1;
        }
        past.push({ request: request.requestId, before });
      }
    }),
    { numRuns: runs(4, 60), endOnFailure: true },
  );
  expect(reverts).toBeGreaterThan(runs(0, 60));
}, 600_000);
