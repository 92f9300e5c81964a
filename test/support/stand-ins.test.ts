import { describe, expect, it, test, vi } from 'vitest';
import { startWorker, startWorkerFrom } from './worker.ts';

/** What the project relies on: the quick run asks the stand-ins, and the deep run the real local runtime. */
const worker = startWorker({}, 'production');
const answers = startWorkerFrom('test/support/answers.ts');

/** Whether the work goes on when everything is done that needs no other turn of the event loop. */
async function isInLaterTurn(work: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  for (let count = 0; count < 100; count++) await undefined;
  const wasDone = isDone;
  await done;
  return !wasDone;
}

const query = (sql: string, ...values: unknown[]) => worker.env.DB.prepare(sql).bind(...values);

describe('D1', () => {
  const asMany = (count: number) =>
    query(`select ${Array(count).fill('?')}`, ...Array(count).fill(1));
  const compound = (count: number) => query(Array(count).fill('select 1').join(' union '));
  const padded = (length: number) => query(`select 1${' '.repeat(length - 8)}`);
  const like = (bytes: number) => query(`select '' like ?`, 'x'.repeat(bytes));
  const sum = (depth: number) => query(`select ${Array(depth).fill(1).join('+')}`);
  const columns = (count: number) => query(`select ${Array(count).fill(1)}`);

  it.each([
    ['100 variables', () => asMany(100), () => asMany(101)],
    ['a pattern of 50 bytes', () => like(50), () => like(51)],
    ['a statement of 100,000 bytes', () => padded(100_000), () => padded(100_001)],
    ['100 columns', () => columns(100), () => columns(101)],
    ['an expression of depth 100', () => sum(100), () => sum(101)],
    ['five parts of a compound', () => compound(5), () => compound(6)],
  ])('D1 takes %s, and no more', async (_, allowed, refused) => {
    expect((await allowed().all()).results).toHaveLength(1);
    await expect(refused().all()).rejects.toThrow('D1_ERROR: ');
  });

  it('D1 answers rows as objects, as arrays, and the first one', async () => {
    const rows = query('select ? as a, ? as b union all select ?, ?', 1, 'x', null, 0.5);
    expect((await rows.all()).results).toStrictEqual([
      { a: 1, b: 'x' },
      { a: null, b: 0.5 },
    ]);
    expect(await rows.raw()).toStrictEqual([
      [1, 'x'],
      [null, 0.5],
    ]);
    expect(await rows.first()).toStrictEqual({ a: 1, b: 'x' });
    expect(await rows.first('b')).toBe('x');
    expect(await query('select 1 where 0').first()).toBeNull();
    expect(await query('select typeof(?) as type', 1).first('type')).toBe('real');
    await expect(query('select ?', undefined).all()).rejects.toThrow('D1_TYPE_ERROR');
  });

  it('D1 carries a batch out whole or not at all, and reports what each statement changed', async () => {
    const create = 'create table kept (id integer primary key autoincrement, name text unique)';
    const trigger =
      "create trigger copied after insert on kept when new.name = 'a' begin insert into kept (name) values ('copy'); end";
    await worker.env.DB.batch([query(create), query(trigger)]);
    const add = (name: string) => query('insert into kept (name) values (?)', name);
    const results = await worker.env.DB.batch([
      add('a'),
      add('b'),
      query('delete from kept where 0'),
    ]);
    // A trigger's rows count.
    expect(results.map(({ meta: { changes, last_row_id } }) => [changes, last_row_id])).toEqual([
      [2, 1],
      [1, 3],
      [0, 3],
    ]);
    const failing = worker.env.DB.batch([add('c'), add('a')]);
    await expect(failing).rejects.toThrow('D1_ERROR: UNIQUE constraint failed: kept.name');
    expect(await query('select group_concat(name) as names from kept').first('names')).toBe(
      'a,copy,b',
    );
  });

  it('D1 holds foreign keys, at the end of a batch that defers them', async () => {
    const parent = query('create table parent (id integer primary key)');
    const child = query('create table child (parent_id integer references parent (id))');
    await worker.env.DB.batch([parent, child]);
    const addChild = query('insert into child values (1)');
    await expect(addChild.run()).rejects.toThrow('FOREIGN KEY constraint failed');
    const deferred = query('pragma defer_foreign_keys = on');
    await expect(worker.env.DB.batch([deferred, addChild])).rejects.toThrow('internal error');
    await worker.env.DB.batch([deferred, addChild, query('insert into parent values (1)')]);
    expect(await query('select count(*) as count from child').first('count')).toBe(1);
  });

  it('D1 runs no trigger within itself', async () => {
    const create = query('create table repeated (n integer)');
    const trigger = `create trigger again after insert on repeated when new.n < 5
      begin insert into repeated values (new.n + 1); end`;
    await worker.env.DB.batch([create, query(trigger), query('insert into repeated values (1)')]);
    expect(await query('select max(n) as last from repeated').first('last')).toBe(2);
  });

  it('D1 gives a session a bookmark with its first answer, and a later one never sorts before it', async () => {
    const session = worker.env.DB.withSession('first-primary');
    expect(session.getBookmark()).toBeNull();
    await session.prepare('select 1').all();
    const first = session.getBookmark()!;
    await session.prepare('update list_sources set reserved = reserved').run();
    expect(session.getBookmark()! >= first).toBe(true);
    expect(await worker.env.DB.withSession(first).prepare('select 1 as one').first('one')).toBe(1);
  });
});

describe('KV', () => {
  it('KV keeps a value with its metadata, in each of the types', async () => {
    const { LISTS } = worker.env;
    await LISTS.put('types', '{"a":"õ"}', { metadata: { count: 1 } });
    const found = await LISTS.getWithMetadata('types');
    expect(found).toMatchObject({ value: '{"a":"õ"}', metadata: { count: 1 } });
    expect(await LISTS.get('types', 'json')).toEqual({ a: 'õ' });
    const bytes = (await LISTS.get('types', { type: 'arrayBuffer', cacheTtl: 30 }))!;
    expect(new TextDecoder().decode(bytes)).toBe('{"a":"õ"}');
    expect(await new Response(await LISTS.get('types', 'stream')).text()).toBe('{"a":"õ"}');
    await LISTS.put('types', new Uint8Array([1, 2]));
    expect(await LISTS.getWithMetadata('types', 'text')).toMatchObject({
      value: '\x01\x02',
      metadata: null,
    });
    await LISTS.delete('types');
    expect(await LISTS.getWithMetadata('types')).toMatchObject({ value: null, metadata: null });
  });

  it('KV lists keys by their bytes, in pages', async () => {
    const { LISTS } = worker.env;
    for (const name of ['page/õ', 'page/b', 'other', 'page/a']) await LISTS.put(name, name);
    await LISTS.put('page/c', 'c', { metadata: { count: 1 } });
    const first = await LISTS.list({ prefix: 'page/', limit: 3 });
    expect(first).toMatchObject({
      keys: [{ name: 'page/a' }, { name: 'page/b' }, { name: 'page/c', metadata: { count: 1 } }],
      list_complete: false,
    });
    expect(first.keys[0]).not.toHaveProperty('metadata');
    const { cursor } = first as { cursor: string };
    expect(await LISTS.list({ prefix: 'page/', limit: 3, cursor })).toMatchObject({
      keys: [{ name: 'page/õ' }],
      list_complete: true,
    });
  });

  it.each<[string, (kv: KVNamespace) => Promise<unknown>]>([
    ['a value for less than a minute', (kv) => kv.put('a', 'a', { expirationTtl: 59 })],
    [
      'a value until less than a minute',
      (kv) => kv.put('a', 'a', { expiration: Date.now() / 1000 + 30 }),
    ],
    ['more than 1 KiB of metadata', (kv) => kv.put('a', 'a', { metadata: 'x'.repeat(1_023) })],
    ['a value of more than 25 MiB', (kv) => kv.put('a', new Uint8Array(25 * 1024 * 1024 + 1))],
    ['a cache for less than 30 seconds', (kv) => kv.get('a', { type: 'text', cacheTtl: 29 })],
    ['a key of more than 512 bytes', (kv) => kv.put('õ'.repeat(257), 'a')],
    ['a key without a letter', (kv) => kv.put('', 'a')],
    ['a page of more than 1,000 keys', (kv) => kv.list({ limit: 1_001 })],
  ])('KV refuses %s', async (_, ask) => {
    await expect(ask(worker.env.LISTS)).rejects.toThrow();
  });

  it('KV takes what is no more than that', async () => {
    const { LISTS } = worker.env;
    const options = { expirationTtl: 60, metadata: 'x'.repeat(1_022) };
    await LISTS.put('õ'.repeat(256), 'a', options);
    const found = await LISTS.getWithMetadata('õ'.repeat(256), { type: 'text', cacheTtl: 30 });
    expect(found).toMatchObject({ value: 'a', metadata: options.metadata });
  });
});

describe('R2', () => {
  it('R2 puts an object unless there is one, where it is told to', async () => {
    const ARCHIVE = worker.env.ARCHIVE!;
    const onlyIf = { etagDoesNotMatch: '*' };
    const customMetadata = { record: 'õ' };
    const put = await ARCHIVE.put('once', 'first', { onlyIf, customMetadata });
    expect(put).toMatchObject({ key: 'once', size: 5, customMetadata });
    expect(await ARCHIVE.put('once', 'second', { onlyIf })).toBeNull();
    const found = (await ARCHIVE.get('once'))!;
    expect({ etag: found.etag, text: await found.text() }).toEqual({
      etag: put!.etag,
      text: 'first',
    });
    expect(await ARCHIVE.head('once')).toMatchObject({ size: 5, customMetadata });
    await ARCHIVE.put('once', 'third');
    expect(await (await ARCHIVE.get('once'))!.text()).toBe('third');
    await ARCHIVE.delete(['once', 'none']);
    expect([await ARCHIVE.get('once'), await ARCHIVE.head('once')]).toEqual([null, null]);
  });

  it('R2 lists objects by their keys, in pages, with the metadata that is asked for', async () => {
    const ARCHIVE = worker.env.ARCHIVE!;
    const customMetadata = { record: 'x' };
    for (const key of ['day/3', 'day/1', 'other', 'day/2'])
      await ARCHIVE.put(key, key, { customMetadata });
    const first = await ARCHIVE.list({ prefix: 'day/', limit: 2 });
    expect(first.objects.map(({ key, customMetadata }) => [key, customMetadata])).toEqual([
      ['day/1', {}],
      ['day/2', {}],
    ]);
    const { cursor } = first as { cursor: string };
    expect(first.truncated).toBe(true);
    const next = await ARCHIVE.list({ prefix: 'day/', cursor, include: ['customMetadata'] });
    expect(next.truncated).toBe(false);
    expect(next.objects).toMatchObject([{ key: 'day/3', customMetadata }]);
    const { objects } = await ARCHIVE.list({ prefix: 'day/', startAfter: 'day/1', limit: 1 });
    expect(objects).toMatchObject([{ key: 'day/2' }]);
  });
});

test('a limiter of an environment refuses what is more than its limit, for each key', async () => {
  // Otherwise a minute may end meanwhile.
  await vi.waitUntil(() => Date.now() % 60_000 < 55_000, { timeout: 10_000 });
  const ask = async (key: string, delta?: number) =>
    (await worker.env.FAILED_LOGIN_LIMITER.limit({ key, ...(delta && { delta }) } as never))
      .success;
  const allowed: boolean[] = [];
  for (let count = 0; count < 11; count++) allowed.push(await ask('a'));
  expect(allowed).toEqual([...Array(10).fill(true), false]);
  // What it has not refused yet counts whole.
  expect([await ask('b', 9), await ask('b', 9), await ask('b')]).toEqual([true, true, false]);
});

test('bindings answer in a later turn of the event loop', async () => {
  const { DB, LISTS, ARCHIVE, CALLER_LIMITER } = worker.env;
  const works = [
    () => DB.prepare('select 1').all(),
    () => DB.batch([DB.prepare('select 1')]),
    () => LISTS.get('a'),
    () => LISTS.put('a', 'a'),
    () => LISTS.list(),
    () => ARCHIVE!.head('a'),
    () => ARCHIVE!.put('a', 'a'),
    () => CALLER_LIMITER.limit({ key: 'a' }),
  ];
  for (const work of works) expect(await isInLaterTurn(work())).toBe(true);
});

test('an answer is compressed as its header says, unless the Worker says that it is', async () => {
  const read = async (path: string) => (await fetch(new URL(path, answers.url))).text();
  expect(await read('/')).toBe('text');
  expect(await read('/encoded')).toBe('text');
  expect(await read('/copied')).toBe('text');
  expect(await read('/twice')).not.toBe('text');
});
