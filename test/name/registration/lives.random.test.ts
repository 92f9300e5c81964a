import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPassingFault } from '../../../src/base/database/retry.ts';
import { RegistryError } from '../../../src/base/error.ts';
import type { DomainName } from '../../../src/name/name.ts';
import type { Registered } from '../../../src/name/registration/register.ts';
import { systemActor } from '../../../src/party/system/login.ts';
import { answerOf } from '../../support/client.ts';
import { addSystem, operator, send } from '../../support/fixtures.ts';
import { newFollower, type Pages } from '../../support/following.ts';
import { everyCommand, type Numbers, newPool } from '../../support/random-changes.ts';
import { drawsMany, runs } from '../../support/run.ts';
import { type Around, aroundCalls, inTurns } from '../../support/turns.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { byOperator, byOthers, bySystem, type Life } from './deeds.ts';
import { type Deed, newWitness } from './lawful.ts';

/**
 * Random lives of a registry with many callers at once. Their calls of D1 take turns in an order that is drawn as well, so
 * that the seed of a failure repeats it.
 */

const worker = shareEmptyWorker();

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
const hour = 60 * 60 * 1000;

const allCommands = { ...bySystem, ...byOthers, ...byOperator };

interface Step {
  kind: string;
  numbers: Numbers;
  choice: number;
  /** About another name than the others. */
  isElsewhere: boolean;
  /** By two callers at once. */
  isTwice: boolean;
  fault: { call: number; isDone: boolean } | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('register', 'register', 'take back') },
    { weight: 3, arbitrary: fc.constantFrom('report on auction', 'open dispute with a password') },
    { weight: 4, arbitrary: fc.constantFrom('repeat report', 'save domain') },
    { weight: 3, arbitrary: fc.constantFrom('delete domain', 'release domain') },
    { weight: 5, arbitrary: fc.constantFrom(...Object.keys(bySystem)) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(byOthers)) },
    { weight: 4, arbitrary: fc.constantFrom(...Object.keys(byOperator)) },
  ),
  isElsewhere: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  numbers: fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11)),
  choice: fc.nat(210),
  isTwice: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  fault: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    fc.record({ call: fc.integer({ min: 1, max: 6 }), isDone: fc.boolean() }),
  ),
});
/** What is done at once, most of it about one name, after some hours; and how much a follower reads meanwhile. */
const burst = fc
  .record({
    hours: fc.constantFrom(0, 0, 0, 1, 11, 24),
    name: fc.constantFrom(0, 0, 0, 1, 2),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
    limit: fc.constantFrom(0, 0, 0, 1, 3, 200),
  })
  .map(({ name, steps, ...burst }) => ({
    ...burst,
    steps: steps.map((step): Step => {
      const [a, b, c] = step.numbers;
      return { ...step, numbers: [step.isElsewhere ? a : name, b, c] };
    }),
  }));
const life = fc.array(burst, { minLength: 10, maxLength: 20 });

type Witness = Awaited<ReturnType<typeof newWitness>>;

function secretsGiven(witness: Witness, { name }: DomainName, choice: number) {
  const { present, everSeen } = witness.secretsOf(name);
  if (choice % 5 === 0) return [];
  if (choice % 5 === 1) return [1, 2].flatMap((n) => everSeen.at(-1 - ((choice * n) % 6)) ?? []);
  return choice % 5 === 2 ? present.slice(choice % 3) : present;
}

const hasWritten = (result: unknown) =>
  [result].flat().some((each) => ((each as D1Result).meta?.changes ?? 0) > 0);

/** One caller, whose calls of D1 take turns with those of others. */
async function perform(life: Life, witness: Witness, now: Date, step: Step, turn: Around) {
  const { kind, choice, fault } = step;
  const { names } = life.pool;
  const [first, ...others] = step.numbers;
  // Nobody tries what is in vain all the time.
  const tries = choice % 4 === 0 ? [] : [first, first + 1, first + 2];
  const place = tries.find((n) => witness.isOccasion(kind, at(names, n).name)) ?? first;
  const numbers: Numbers = [place, ...others];
  const system = life.systems[choice % 7 === 0 ? 1 : 0]!;
  const secrets = secretsGiven(witness, at(names, place), choice);
  const deed: Deed = { kind, now, systemId: system.id, secrets, hasMade: false };
  const request = { at: now, requestId: crypto.randomUUID() };
  const actor = kind in bySystem ? systemActor(system) : operator.actor;
  let calls = 0;
  const lose = (isDone: boolean) => {
    const isLost = fault?.call === calls && fault.isDone === isDone;
    if (isLost) throw new Error('D1_ERROR: Network connection lost.');
  };
  const db = aroundCalls(worker.env.DB, (send) =>
    turn(async () => {
      calls += 1;
      lose(false);
      const result = await send();
      if (hasWritten(result)) await witness.look(deed);
      lose(true);
      return result;
    }),
  );
  if (kind in byOperator) life.past.push(request.requestId);
  const done = await allCommands[kind]!(db, { actor, request }, life, {
    ...deed,
    numbers,
    system,
  }).catch((error) => {
    const isExpected = error instanceof RegistryError || (fault && isPassingFault(error));
    if (!isExpected) throw error;
  });
  if (kind === 'register')
    expect(deed.hasMade).toBe((done as Registered | undefined)?.isNew ?? false);
}

test('every domain was registered lawfully and every secret used once, and followers hold what there is', async () => {
  const { db, env } = worker;
  const total = { registered: 0, used: 0, takenBack: 0, sold: 0, handedOver: 0, changes: 0 };
  const order = fc.noShrink(fc.infiniteStream(fc.nat()));
  await fc.assert(
    fc.asyncProperty(life, order, async (bursts, draws) => {
      const pool = await newPool(env);
      const added = [await addSystem(env), await addSystem(env)];
      const systems = added.map((system) => ({ ...system, registrar: null }));
      const life: Life = { pool, systems, past: [], reports: [] };
      for (const n of [0, 2, 4]) {
        await everyCommand['import contacts']!(db, operator, pool, [n, n + 1, 0]);
      }
      const witness = await newWitness(db, pool);
      const follower = newFollower(db, pool, pagesFor(await addSystem(env, ['changes'])));
      await follower.restart();
      const clock = { now: new Date('2026-05-01T10:00:00.000Z') };
      const draw = (count: number) => Number(draws.next().value) % count;
      for (const { hours, steps, limit } of bursts) {
        clock.now = new Date(clock.now.getTime() + hours * hour);
        const works = steps.flatMap((step) => {
          const work = (turn: Around) => perform(life, witness, clock.now, step, turn);
          return step.isTwice ? [work, work] : [work];
        });
        await Promise.all([inTurns(works, draw), limit > 0 && follower.follow(limit)]);
      }
      await follower.catchUp();
      for (const [name, count] of Object.entries({
        ...witness.counts,
        changes: follower.counts.changes,
      })) {
        total[name as keyof typeof total] += count;
      }
    }),
    { numRuns: runs(3, 80), endOnFailure: true },
  );
  expect(total.registered).toBeGreaterThan(0);
  // In a few lives, some of this need not happen.
  if (drawsMany) expect(Object.values(total)).not.toContain(0);
}, 1_800_000);

function pagesFor(system: { authorization: string }): Pages {
  const get = (query: string) =>
    answerOf(worker.fetch(`/api/v1/internal/changes?${query}`, send('GET', system)));
  return {
    newest: async () => (await get('limit=0')).body.after,
    async next(after, limit) {
      const { status, body } = await get(`after=${after}&limit=${limit}`);
      if (status === 410) return undefined;
      expect(status).toBe(200);
      return body;
    },
  };
}
