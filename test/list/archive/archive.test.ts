import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import type { Env } from '../../../src/base/env.ts';
import { archiveLists } from '../../../src/list/archive/archive.ts';
import { bareTag, bodyKey } from '../../../src/list/archive/body.ts';
import { listDays, putDay, readDay } from '../../../src/list/archive/day.ts';
import { blockKey } from '../../../src/list/kv.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { deleteReplacedKeys } from '../../../src/list/publish/sweep.ts';
import { type Fault, Faults, overload } from '../../attack/faults.ts';
import { addRetainedDomain, emptyLists } from '../../support/fixtures.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { backUpDatabase } from '../backup.ts';
import { published, withMethods } from '../published.ts';
import { readWhole } from '../reader.ts';
import { emptyBucket, locked } from './bucket.ts';
import { killedBeforeHead } from './killed-before-head.ts';

const worker = shareEmptyWorker();
/** One list stands for the others, which take their turn. */
const list = 'all';
/** Every second call fails in its turn; every call in the deep run. */
const step = inject('isDeep') ? 1 : 2;
const at = (day: string, time = '00:01') => new Date(`${day}T${time}:00Z`);

beforeEach(async () => {
  await emptyLists(worker.env);
  await emptyBucket(worker.env.ARCHIVE!);
});

const publishOn = (day: string, time: string, { LISTS }: Env = worker.env) =>
  publish({ db: worker.db, kv: LISTS, clock: () => at(day, time) }, [list]);

const withKv = (methods: Partial<Record<keyof KVNamespace, unknown>>): Env => ({
  ...worker.env,
  LISTS: withMethods(worker.env.LISTS, methods),
});

/** Adds nothing to what clients get: the publisher is killed. */
const publishInVain = (day: string, time: string) =>
  expect(
    publishOn(day, time, { ...worker.env, LISTS: killedBeforeHead(worker.env) }),
  ).rejects.toThrow();

/** Adds a name and publishes it. */
async function add(name: string, day: string, time: string) {
  await addRetainedDomain(worker.env, { name, punycode: name });
  await publishOn(day, time);
}

/** Does the cron's work, early on a day. */
const archive = (day: string, env: Env = worker.env, time?: string) =>
  archiveLists(env.LISTS, env.ARCHIVE!, [list], at(day, time));

/** The list as clients get it now. */
const current = () => readWhole(worker.env, list, at('2026-05-01'));

async function asOf(day: string, init?: RequestInit) {
  const answer = await worker.fetch(`/repp/v1/retained_domains?as_of=${day}`, init);
  return { status: answer.status, etag: answer.headers.get('ETag'), body: await answer.text() };
}

const archivedDays = () => Array.fromAsync(listDays(worker.env.ARCHIVE!, list));

const loseBody = (etag: string) =>
  worker.env.ARCHIVE!.delete(bodyKey({ list, etag, isCountFirst: true }));

const notArchived = (first: string, last: string) => ({
  status: 404,
  etag: null,
  body: `{"errors":{"as_of":["is not in the archive, which begins on ${first} and ends on ${last}"]}}`,
});

it('an archived day is the list as it stood at its end, byte for byte', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  await add('b.ee', '2026-05-01', '23:59');
  const first = await current();
  await archive('2026-05-02');
  await add('c.ee', '2026-05-02', '12:00');
  const second = await current();
  await archive('2026-05-03');
  expect(await asOf('2026-05-01')).toEqual(first);
  expect(await asOf('2026-05-02')).toEqual(second);
});

it('an archived day does not have what was published after its end', async () => {
  await add('b.ee', '2026-05-01', '12:00');
  const before = await current();
  await add('a.ee', '2026-05-02', '00:00');
  await archive('2026-05-02');
  expect(await asOf('2026-05-01')).toEqual(before);
});

it('an archived day ends once, though the clock is set back to it afterwards', async () => {
  await add('b.ee', '2026-05-01', '12:00');
  const first = await current();
  await add('c.ee', '2026-05-02', '00:30');
  await add('a.ee', '2026-05-01', '22:30');
  const second = await current();
  await archive('2026-05-02');
  await archive('2026-05-03');
  expect([await asOf('2026-05-01'), await asOf('2026-05-02')]).toEqual([first, second]);
});

it('an archived day keeps its bytes when the database is restored to an earlier state', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const restore = await backUpDatabase(worker.env);
  await add('b.ee', '2026-05-02', '12:00');
  const seen = await current();
  await archive('2026-05-03');
  await restore();
  await publishOn('2026-05-03', '12:00');
  const restored = await current();
  await archive('2026-05-04');
  expect(await asOf('2026-05-02')).toEqual(seen);
  expect(await asOf('2026-05-03')).toEqual(restored);
  expect(restored).not.toEqual(seen);
});

it('an archived day has nothing that was recorded on it, but that clients got only later', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const seen = await current();
  await addRetainedDomain(worker.env, { name: 'b.ee' });
  await publishInVain('2026-05-01', '23:59');
  expect(await current()).toEqual(seen);
  await publishOn('2026-05-02', '00:01');
  const later = await current();
  await archive('2026-05-02', worker.env, '00:31');
  await archive('2026-05-03');
  expect(await asOf('2026-05-01')).toEqual(seen);
  expect(await asOf('2026-05-02')).toEqual(later);
  expect(later).not.toEqual(seen);
});

it.each([
  ['a publication', false],
  ['a publication and one that was killed', true],
])('an archived day is what KV had, though its listing did not show %s', async (_, isKilled) => {
  await add('a.ee', '2026-05-01', '12:00');
  const late = [await worker.env.LISTS.list({ prefix: 'list/' })];
  await add('b.ee', '2026-05-01', '13:00');
  const seen = await current();
  await addRetainedDomain(worker.env, { name: 'c.ee' });
  if (isKilled) await publishInVain('2026-05-01', '23:59');
  const list = (options: KVNamespaceListOptions) => late.pop() ?? worker.env.LISTS.list(options);
  await publishOn('2026-05-02', '00:01', withKv({ list }));
  await archive('2026-05-02');
  expect(await asOf('2026-05-01')).toEqual(seen);
});

it('an archived day does not have what was put after midnight, if its publication began before', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const seen = await current();
  await addRetainedDomain(worker.env, { name: 'b.ee' });
  let time = at('2026-05-01', '23:59');
  const { LISTS } = withKv({
    put: async (key: string, ...rest: never[]) => {
      await (worker.env.LISTS.put as (...args: unknown[]) => Promise<void>)(key, ...rest);
      if (key.startsWith('changes/')) time = at('2026-05-02', '00:00');
    },
  });
  await publish({ db: worker.db, kv: LISTS, clock: () => time }, [list]);
  expect(await current()).not.toEqual(seen);
  await archive('2026-05-02');
  expect(await asOf('2026-05-01')).toEqual(seen);
});

it('an archived day is what clients saw, if the database was restored and nothing was published yet', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  await archive('2026-05-02');
  const restore = await backUpDatabase(worker.env);
  await add('b.ee', '2026-05-02', '12:00');
  const seen = await current();
  await restore();
  await archive('2026-05-03');
  expect(await asOf('2026-05-02')).toEqual(seen);
});

it('an archived day is 404 before the archive begins, and when its content is lost', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  await archive('2026-05-02');
  expect(await asOf('2026-04-30')).toEqual(notArchived('2026-05-01', '2026-05-01'));
  const { ARCHIVE } = worker.env;
  const { objects } = await ARCHIVE!.list({ prefix: 'bodies/' });
  await ARCHIVE!.delete(objects.map(({ key }) => key));
  expect(await asOf('2026-05-01')).toEqual(notArchived('2026-05-01', '2026-05-01'));
  expect(await readDay(ARCHIVE!, list, '2026-05-01')).toMatchObject({ count: 1 });
});

describe('a day on which the list stays the same', () => {
  beforeEach(async () => {
    await add('a.ee', '2026-05-01', '12:00');
    await archive('2026-05-02');
  });

  it('a day on which the list stays the same has its content if the bucket lost it', async () => {
    const seen = await current();
    await loseBody(seen.etag!);
    await archive('2026-05-03');
    expect(await asOf('2026-05-02')).toEqual(seen);
  });

  it('a day on which the list stays the same brings the content of earlier days back, once the list has changed as well', async () => {
    const seen = await current();
    await loseBody(seen.etag!);
    expect(await asOf('2026-05-01')).toEqual(notArchived('2026-05-01', '2026-05-01'));
    await add('b.ee', '2026-05-03', '00:00');
    await archive('2026-05-03');
    expect(await asOf('2026-05-01')).toEqual(seen);
    expect(await asOf('2026-05-02')).toEqual(seen);
  });

  it('a day on which the list stays the same is missing if its content is lost and no longer known', async () => {
    const seen = await current();
    await loseBody(seen.etag!);
    const { head } = await published(worker.env, list);
    await worker.env.LISTS.delete(blockKey(list, head!.blocks[0]!));
    await add('b.ee', '2026-05-03', '00:00');
    await archive('2026-05-03');
    expect(await readDay(worker.env.ARCHIVE!, list, '2026-05-02')).toMatchObject({ missing: true });
  });
});

it('the record of a day has the size of its plain JSON and no digest, also after one that has a digest', async () => {
  await add('õ.ee', '2026-05-01', '12:00');
  const { etag, body } = await current();
  const kept = {
    list,
    etag: bareTag(etag!),
    count: 1,
    bytes: Buffer.byteLength(body),
    isCountFirst: true,
  } as const;
  await archive('2026-05-02');
  const ofEarlierRelease = { ...kept, day: '2026-05-02', sha256: '0a'.repeat(32) };
  await putDay(worker.env.ARCHIVE!, ofEarlierRelease);
  await archive('2026-05-04');
  expect(await archivedDays()).toEqual([
    { ...kept, day: '2026-05-01' },
    ofEarlierRelease,
    { ...kept, day: '2026-05-03' },
  ]);
  expect(await asOf('2026-05-02')).toEqual({ status: 200, etag, body });
});

it('a day that 1.0.0 recorded keeps its bytes, and the same content has those of today from then on', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const seen = await current();
  const { count, domains } = JSON.parse(seen.body);
  const then = JSON.stringify({ domains, count });
  const etag = bareTag(seen.etag!);
  const bucket = worker.env.ARCHIVE!;
  await bucket.put(`bodies/${list}/${etag}`, gzipSync(then));
  await putDay(bucket, { list, day: '2026-05-01', etag, count, bytes: then.length });
  await archive('2026-05-04');
  expect(seen.body).toBe(
    '{"count":1,"domains":[{"name":"a.ee","status":"reserved","punycode_name":"a.ee"}]}',
  );
  expect(await asOf('2026-05-01')).toEqual({ ...seen, body: then });
  expect(await asOf('2026-05-02')).toEqual(seen);
  expect(await asOf('2026-05-03')).toEqual(seen);
  expect((await bucket.list({ prefix: 'bodies/' })).objects).toHaveLength(2);
});

it('days that the cron missed are put later, in order, each as it was', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  await archive('2026-05-02');
  await add('b.ee', '2026-05-02', '12:00');
  const second = await current();
  // Nothing was published on the third day.
  await add('c.ee', '2026-05-04', '12:00');
  await worker.env.DB.prepare("delete from retained_domains where name = 'b.ee'").run();
  await publishOn('2026-05-04', '13:00');
  const fourth = await current();
  await add('d.ee', '2026-05-05', '00:10');
  await archive('2026-05-05', worker.env, '00:31');
  expect(await asOf('2026-05-02')).toEqual(second);
  expect(await asOf('2026-05-03')).toEqual(second);
  expect(await asOf('2026-05-04')).toEqual(fourth);
});

it('days that the cron missed are missing if KV no longer has how the list stood', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  await archive('2026-05-02');
  await add('b.ee', '2026-05-02', '12:00');
  await add('c.ee', '2026-05-10', '12:00');
  await add('d.ee', '2026-05-18', '12:00');
  const last = await current();
  // What was replaced more than a week ago is deleted.
  await deleteReplacedKeys(worker.db, worker.env.LISTS, at('2026-05-19'));
  await archive('2026-05-19');
  expect(await asOf('2026-05-01')).toMatchObject({ status: 200 });
  expect(await asOf('2026-05-02')).toEqual(notArchived('2026-05-01', '2026-05-18'));
  expect(await asOf('2026-05-09')).toEqual(notArchived('2026-05-01', '2026-05-18'));
  expect(await asOf('2026-05-10')).toMatchObject({ status: 200 });
  expect(await asOf('2026-05-18')).toEqual(last);
  expect(await readDay(worker.env.ARCHIVE!, list, '2026-05-09')).toEqual({
    list,
    day: '2026-05-09',
    missing: true,
  });
});

it('days that the cron missed are put fifty at a time, however many there are', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const seen = await current();
  await archive('2026-05-02');
  const lastDay = async () => (await archivedDays()).at(-1)?.day;
  await archive('2026-06-22');
  expect(await lastDay()).toBe('2026-06-20');
  await archive('2026-06-22');
  expect(await lastDay()).toBe('2026-06-21');
  expect(await archivedDays()).toHaveLength(52);
  expect(await asOf('2026-06-21')).toEqual(seen);
});

it.each([
  ['the key', { list: () => ({ keys: [], list_complete: true }) }],
  ['the value', { get: () => null }],
])(
  'days that the cron missed are put by a later run if KV does not show %s of how the list stood yet',
  async (_, late) => {
    await add('a.ee', '2026-05-01', '12:00');
    const seen = await current();
    await archive('2026-05-02');
    await add('b.ee', '2026-05-03', '00:01');
    await expect(archive('2026-05-03', withKv(late))).rejects.toThrow();
    expect(await asOf('2026-05-02')).toEqual(notArchived('2026-05-01', '2026-05-01'));
    await archive('2026-05-03', worker.env, '00:31');
    expect(await asOf('2026-05-02')).toEqual(seen);
  },
);

it('days that the cron missed wait if KV shows no list', async () => {
  await archive('2026-05-02', withKv({ getWithMetadata: () => ({ value: null }) }));
  await add('a.ee', '2026-05-01', '12:00');
  await archive('2026-05-02');
  const env = withKv({ getWithMetadata: () => ({ value: null }) });
  await expect(archive('2026-05-03', env)).rejects.toThrow();
  await archive('2026-05-03');
  expect(await asOf('2026-05-02')).toMatchObject({ status: 200 });
});

it('days that the cron missed are the same as the last if KV has lost the list since', async () => {
  await add('a.ee', '2026-05-01', '12:00');
  const seen = await current();
  await archive('2026-05-02');
  const { head } = await published(worker.env, list);
  await worker.env.LISTS.delete(blockKey(list, head!.blocks[0]!));
  await add('b.ee', '2026-05-03', '00:00');
  await archive('2026-05-03');
  expect(await asOf('2026-05-02')).toEqual(seen);
});

it('days that the cron missed are not invented before the first one', async () => {
  await add('a.ee', '2026-05-02', '00:01');
  await archive('2026-05-02');
  expect(await archivedDays()).toEqual([]);
  await archive('2026-05-03');
  expect((await archivedDays()).map(({ day }) => day)).toEqual(['2026-05-02']);
});

const faults: Fault[] = [
  { message: overload, isDone: false },
  { message: 'R2 PUT failed: 503 Service Unavailable', isDone: true },
];

/** The days of the list, and everything in the bucket. */
async function archived() {
  const { objects } = await worker.env.ARCHIVE!.list({ include: ['customMetadata'] } as never);
  const stored = objects.map(({ key, size, customMetadata }) => ({ key, size, customMetadata }));
  return { days: await archivedDays(), stored };
}

describe('the archive, when a run', () => {
  beforeEach(async () => {
    await add('a.ee', '2026-05-01', '12:00');
    await add('b.ee', '2026-05-02', '12:00');
    await add('c.ee', '2026-05-03', '12:00');
  });

  /** Does everything as it should be, and returns that with the number of calls. */
  async function done() {
    const calm = new Faults();
    await archive('2026-05-02');
    await archive('2026-05-04', calm.wrap(worker.env));
    const right = await archived();
    expect(right.days.map(({ day }) => day)).toEqual(['2026-05-01', '2026-05-02', '2026-05-03']);
    return { right, calls: calm.calls };
  }

  it('the archive, when a run fails at any call, is the same once it has run again', async () => {
    const { right, calls } = await done();
    for (let place = 0; place < calls.length; place += step) {
      await emptyBucket(worker.env.ARCHIVE!);
      await archive('2026-05-02');
      const fault = faults[place % faults.length] as Fault;
      const env = new Faults(fault, (call) => call === place).wrap(worker.env);
      await archive('2026-05-04', env).catch(() => {});
      await archive('2026-05-04');
      expect(await archived(), `call ${place} (${calls[place]})`).toEqual(right);
    }
  });

  it('the archive, when a run is killed anywhere, is the same once it has run again', async () => {
    const { right, calls } = await done();
    const dead: Fault = { message: 'killed', isDone: false };
    for (let place = 0; place < calls.length; place += step) {
      await emptyBucket(worker.env.ARCHIVE!);
      await archive('2026-05-02');
      const env = new Faults(dead, (call) => call >= place).wrap(worker.env);
      await expect(archive('2026-05-04', env)).rejects.toThrow();
      await archive('2026-05-04');
      expect(await archived(), `killed at call ${place} (${calls[place]})`).toEqual(right);
    }
  });

  it('the archive, when a run meets another one, is the same', async () => {
    const { right } = await done();
    await emptyBucket(worker.env.ARCHIVE!);
    await archive('2026-05-02');
    await Promise.all([archive('2026-05-04'), archive('2026-05-04')]);
    expect(await archived()).toEqual(right);
  });

  it('the archive, when a run meets another one in a locked bucket, is the same', async () => {
    const { right } = await done();
    await emptyBucket(worker.env.ARCHIVE!);
    const env = { ...worker.env, ARCHIVE: locked(worker.env.ARCHIVE!) };
    await archive('2026-05-02', env);
    await Promise.all([archive('2026-05-04', env), archive('2026-05-04', env)]);
    expect(await archived()).toEqual(right);
  });

  it('the archive, when a run comes again, costs one listing', async () => {
    await done();
    const again = new Faults();
    await archive('2026-05-04', again.wrap(worker.env));
    expect(again.calls).toEqual(['r2']);
  });
});
