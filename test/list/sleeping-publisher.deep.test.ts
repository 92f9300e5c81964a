import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { headKey } from '../../src/list/kv.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { listStatus } from '../../src/list/publish/status.ts';
import { sweepLists } from '../../src/list/publish/sweep.ts';
import { Faults } from '../attack/faults.ts';
import { emptyLists } from '../support/fixtures.ts';
import { startWorker } from '../support/worker.ts';
import { published, withMethods } from './published.ts';

const worker = startWorker();
const hour = 3_600_000;
let now = Date.parse('2026-05-05T12:00:00Z');
beforeAll(() => emptyLists(worker.env));
const clock = () => new Date(now);

const run = (query: string, ...values: unknown[]) =>
  worker.env.DB.prepare(query)
    .bind(...values)
    .run();
const add = (name: string) =>
  run(
    "insert into retained_domains (name, punycode, status, created_at) values (?1, ?1, 'reserved', '')",
    name,
  );
const remove = (name: string) => run('delete from retained_domains where name = ?', name);
/** The lists that follow the journal of retained names, which is pruned behind the last of them. */
const lists = ['all', 'reserved', 'blocked', 'disputed'] as const;
const publishAll = () => publish(worker.db, worker.env.LISTS, lists, clock);
const sweep = () => sweepLists(worker.db, worker.env.LISTS, clock());

async function namesIn(): Promise<string[]> {
  const { body } = await published(worker.env, 'all');
  return body.domains.map(({ name }: { name: string }) => name);
}

async function namesInDatabase(): Promise<string[]> {
  const { results } = await run('select name from retained_domains order by name');
  return results.map((row) => String(row.name));
}

/** The list of two names, as it was published an hour ago. */
async function setUp() {
  now += hour;
  await worker.env.DB.batch(
    [
      'delete from retained_domains',
      "insert into retained_domains (name, punycode, status, created_at) values ('n10.ee', 'n10.ee', 'reserved', ''), ('n25.ee', 'n25.ee', 'reserved', '')",
    ].map((query) => worker.env.DB.prepare(query)),
  );
  await publishAll();
  now += hour;
}

/** Publications, by what there is to do. */
const beginnings: Record<string, () => Promise<{ isForced?: true }>> = {
  async 'an update'() {
    await add('n05x.ee');
    await remove('n25.ee');
    return {};
  },
  async 'a forced build'() {
    await add('n05x.ee');
    return { isForced: true };
  },
  async 'a head that was not put'() {
    const { LISTS } = worker.env;
    const { value, metadata } = await LISTS.getWithMetadata(headKey('all'), 'arrayBuffer');
    await add('n05x.ee');
    await remove('n25.ee');
    await publishAll();
    await LISTS.put(headKey('all'), value!, { metadata });
    return {};
  },
};

/** Come and go, so that the list stays as it is while its journal goes on. */
async function visit(name: string) {
  await add(name);
  await remove(name);
  await publishAll();
}

const meanwhile: Record<string, () => Promise<void>> = {
  async 'for nine days in which only sweeps run'() {
    now += 193 * hour;
    await sweep();
    now += 23 * hour;
    await sweep();
  },
  async 'for nine days in which others publish'() {
    await remove('n10.ee');
    await publishAll();
    now += 193 * hour;
    await sweep();
    await publishAll();
    await add('n11x.ee');
    await publishAll();
    now += 23 * hour;
    await sweep();
  },
  async 'for a minute in which the journal is pruned'() {
    await run("delete from retained_domains where name = 'n05x.ee'");
    await publishAll();
    await visit('v1.ee');
    now += 60_000;
    await sweep();
  },
};

for (const [what, begin] of Object.entries(beginnings)) {
  for (const [how, sleep] of Object.entries(meanwhile)) {
    test(`publishes nothing wrong where a publisher of ${what} sleeps ${how}`, {
      timeout: 300_000,
    }, async () => {
      let calls = Number.POSITIVE_INFINITY;
      for (let place = 0; place < calls; place++) {
        await setUp();
        const options = await begin();
        const begun = now;
        const sleeping = new Faults(undefined, undefined, async (call) => {
          if (call === place) await sleep();
        });
        const { DB, LISTS } = sleeping.wrap(worker.env);
        const seen: { names: string[] | undefined; right: string[] }[] = [];
        const kv = withMethods(LISTS, {
          async put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
            await LISTS.put(key, value, options);
            // Whoever is overtaken within minutes puts an older list, looks again, and puts the newer one.
            if (key !== headKey('all') || now - begun < hour) return;
            seen.push({
              names: await namesIn().catch(() => undefined),
              right: await namesInDatabase(),
            });
          },
        });

        await publish(openDatabase(DB), kv, ['all'], clock, options);

        const label = `asleep after call ${place} (${sleeping.calls[place]})`;
        for (const { names, right } of seen) expect(names, label).toEqual(right);
        expect(await namesIn(), label).toEqual(await namesInDatabase());
        const status = await listStatus(worker.db, worker.env.LISTS, clock());
        expect(status.find(({ list }) => list === 'all')?.isBehind, label).toBe(false);
        calls = sleeping.calls.length;
      }
    });
  }
}
