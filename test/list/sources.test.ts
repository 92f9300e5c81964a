import fc from 'fast-check';
import { beforeEach, expect, inject, test } from 'vitest';
import { retainedStatuses } from '../../drizzle/schema.ts';
import { buildLists } from '../../src/list/entries.ts';
import { buildBlock } from '../../src/list/format/block.ts';
import type { ListEntry } from '../../src/list/format/entry.ts';
import { createHead } from '../../src/list/format/head.ts';
import { listNames } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { replaceRetainedDomains } from '../../src/name/retained/operator/replace.ts';
import { emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published } from './published.ts';
import { useSmallBlocks } from './small-blocks.ts';

useSmallBlocks();
const worker = shareEmptyWorker();
beforeEach(() => emptyLists(worker.env));

/** Enough for several blocks. */
const names = [
  ...Array.from({ length: 10 }, (_, number) => `s${number * 7}.ee`),
  ...['a.ee', 'm.ee', 's1.ee', 's3.ee', 's5.ee', 'z.ee'],
];
const days = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04', '2026-05-05'];

const name = fc.constantFrom(...names);
const status = fc.constantFrom(...retainedStatuses);
const day = fc.nat(days.length - 1);
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), name, status }),
  fc.record({ kind: fc.constant('remove' as const), name, status }),
  fc.record({ kind: fc.constant('dispute' as const), name, from: day, until: day }),
  fc.record({ kind: fc.constant('close' as const), name, until: day }),
  fc.record({ kind: fc.constant('replace' as const), names: fc.uniqueArray(name) }),
  fc.record({ kind: fc.constant('start' as const), name }),
  fc.record({ kind: fc.constant('end' as const), name }),
  fc.record({ kind: fc.constant('pass' as const), days: fc.integer({ min: -1, max: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Does what the operator, the auction centre or the calendar does. */
async function take(step: Step): Promise<void> {
  const run = (query: string, ...values: unknown[]) =>
    worker.env.DB.prepare(query)
      .bind(...values)
      .run();
  switch (step.kind) {
    case 'add':
      await run(
        "insert or ignore into retained_domains (name, punycode, status, created_at) values (?1, ?1, ?2, '')",
        step.name,
        step.status,
      );
      break;
    case 'remove':
      await run(
        'delete from retained_domains where name = ? and status = ?',
        step.name,
        step.status,
      );
      break;
    case 'dispute': {
      const [from, until] = [step.from, step.until].sort();
      await run(
        "insert into disputes (name, punycode, first_day, last_day, created_at) values (?1, ?1, ?2, ?3, '')",
        step.name,
        days[from!],
        days[until!],
      );
      break;
    }
    case 'close':
      await run(
        'update disputes set closed_at = ?2 where name = ?1 and first_day <= ?2',
        step.name,
        days[step.until],
      );
      break;
    case 'replace': {
      const rows = step.names.map((name) => ({
        name,
        punycode: name,
        status: 'reserved' as const,
      }));
      await replaceRetainedDomains(worker.operation, ['reserved'], rows);
      break;
    }
    case 'start':
      await run(
        "insert or ignore into auctions (uuid, name, punycode, created_at, updated_at) values (?2, ?1, ?1, '', '')",
        step.name,
        crypto.randomUUID(),
      );
      break;
    case 'end':
      await run("update auctions set status = 'no_bids' where name = ?", step.name);
      break;
  }
}

/** The ETags of the lists as they are built from nothing. */
async function builtEtags(day: string) {
  const save = async (entries: ListEntry[]) => (await buildBlock('', entries)).block;
  const etags = listNames.map(async (list) => {
    const built = (await buildLists(worker.db, [{ list, save }], day)).get(list)!;
    return [list, (await createHead(list, '', built)).etag] as const;
  });
  return Object.fromEntries(await Promise.all(etags));
}

test('publishes of every change of the source exactly what a build from nothing has', {
  timeout: 180_000,
}, async () => {
  const histories = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 2,
  });
  let today = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      for (const steps of history) {
        for (const step of steps) {
          if (step.kind === 'pass')
            today = Math.min(days.length - 1, Math.max(0, today + step.days));
          else await take(step);
        }
        const day = days[today]!;
        await publish(
          { db: worker.db, kv: worker.env.LISTS, clock: () => new Date(`${day}T12:00:00Z`) },
          listNames,
        );
        const right = await builtEtags(day);
        for (const list of listNames) {
          expect((await published(worker.env, list)).metadata?.etag, list).toBe(right[list]);
        }
      }
    }),
    // The lists go on from history to history: there is nothing to shrink towards.
    { numRuns: inject('isDeep') ? 20 : 3, endOnFailure: true },
  );
});
