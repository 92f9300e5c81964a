import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildBlock } from '../../src/list/format/block.ts';
import { entryOf, parseRows } from '../../src/list/format/entry.ts';
import { createHead } from '../../src/list/format/head.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { sweepLists } from '../../src/list/publish/sweep.ts';
import { readChanges } from '../../src/list/read/changes.ts';
import { readList } from '../../src/list/read/whole-list.ts';
import { emptyLists } from '../support/fixtures.ts';
import { startWorker } from '../support/worker.ts';
import { backUpDatabase, backUpKv } from './backup.ts';
import { newReader } from './reader.ts';

const worker = startWorker();
const minute = 60_000;
const day = 24 * 60;
const start = Date.parse('2026-05-05T20:00:00Z');
const list = 'all';

const name = fc.constantFrom(...'abcdefghijkl');
/** A name comes or goes, or is disputed for some days from tomorrow. */
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name }) },
  { weight: 1, arbitrary: fc.record({ name, days: fc.integer({ min: 1, max: 3 }) }) },
);
/** In minutes. Changes are kept for a week. */
const passing = fc.oneof(
  { weight: 4, arbitrary: fc.noBias(fc.nat(45)) },
  { weight: 1, arbitrary: fc.nat(30 * 60) },
  { weight: 2, arbitrary: fc.noBias(fc.integer({ min: 7 * day - 90, max: 7 * day + 60 })) },
);
const skew = fc.noBias(fc.integer({ min: -60, max: 60 }));
const restore = fc.constantFrom('back up', 'restore D1', 'restore KV', 'restore both');
/** Time passes, the source changes, something is restored, and one or two publish by clocks that are wrong. */
const turn = fc.record({
  passing,
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  event: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: restore },
  ),
  clocks: fc.oneof(fc.tuple(skew), fc.tuple(skew), fc.tuple(skew, skew)),
  sweeping: fc.option(skew),
});
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(changes: Turn['changes'], at: string): Promise<void> {
  const { DB } = worker.env;
  const statements = changes.flatMap((change) => {
    if ('days' in change) {
      const insert = `insert into disputes (name, punycode, first_day, last_day, created_at)
        values (?1, ?1, date(?2, '+1 day'), date(?2, ?3), '')`;
      return DB.prepare(insert).bind(change.name, at, `+${change.days} days`);
    }
    return [
      "insert or ignore into retained_domains (name, punycode, status, created_at) values (?1, ?1, 'reserved', ?2)",
      'delete from retained_domains where name = ?1 and created_at <> ?2',
    ].map((sql) => DB.prepare(sql).bind(change.name, at));
  });
  await DB.batch(statements);
}

/** The ETag of a list with these entries, few enough for one block: it is a digest of them. */
async function etagOf(entries: readonly string[]): Promise<string> {
  const rows = parseRows(entries.toSorted().join(',')).map(entryOf);
  const blocks = rows.length > 0 ? [(await buildBlock('', rows)).block] : [];
  return (await createHead(list, '', blocks)).etag;
}

test('leads exactly from one list to another or to nothing, whatever clocks and restores do', {
  timeout: 300_000,
}, async () => {
  const history = fc.array(turn, { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, async (turns) => {
      const { env, db } = worker;
      await emptyLists(env);
      let backup = { database: await backUpDatabase(env), kv: await backUpKv(env) };
      const lists = new Map<string, string[]>();
      let now = start;
      for (const { passing, changes, event, clocks, sweeping } of turns) {
        now += passing * minute + 1;
        if (event === 'back up') {
          backup = { database: await backUpDatabase(env), kv: await backUpKv(env) };
        }
        if (event === 'restore D1' || event === 'restore both') await backup.database();
        if (event === 'restore KV' || event === 'restore both') await backup.kv();
        await apply(changes, new Date(now).toISOString());
        const at = (minutes: number) => () => new Date(now + minutes * minute);
        await Promise.all(clocks.map((minutes) => publish(db, env.LISTS, [list], at(minutes))));
        if (sweeping !== null) await sweepLists(db, env.LISTS, at(sweeping)());

        const { reader, background } = newReader(env, at(0));
        const { etag, body } = await readList(list, reader, () => false);
        const text = await new Response(body as BodyInit).arrayBuffer();
        const { domains } = JSON.parse(gunzipSync(text).toString());
        lists.set(
          etag,
          domains.map((entry: object) => JSON.stringify(entry)),
        );
        await Promise.all(background);
        for (const [since, entries] of lists) {
          const changes = await readChanges(list, since, reader);
          if (!changes) continue;
          const { added, removed } = changes.difference;
          const kept = entries.filter((entry) => !removed.includes(entry));
          expect(kept).toHaveLength(entries.length - removed.length);
          expect(await etagOf([...kept, ...added])).toBe(changes.current);
        }
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
