import { cp } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { killAfter, moments } from './killed.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();

const count = 20_000;
const minutes = 60_000;

/** In an order that is not the lists', so that every part of an import touches every part of them. */
function namesFile(prefix: string): string {
  const rows = Array.from({ length: count }, (_, n) => {
    const number = (n * 7919) % count;
    const name = `${prefix}${number}${number % 3 === 0 ? 'õ' : 'a'}.ee`;
    return `${name},${number % 2 === 0 ? 'reserved' : 'blocked'}`;
  });
  return `name,status\n${rows.join('\n')}\n`;
}

/** The published lists, and the rows that they are made from. */
async function listsOf(registry: TestRegistry) {
  const { lists } = await registry.done('lists status');
  const { retained_domains: rows } = await registry.rows();
  const names = (rows as { name: string; status: string }[]).map(
    ({ name, status }) => `${name} ${status}`,
  );
  return {
    names: names.sort().join('\n'),
    published: (lists as Record<string, unknown>[]).map(({ list, count, etag, behind }) => ({
      list,
      count,
      etag,
      behind,
    })),
  };
}

type Lists = Awaited<ReturnType<typeof listsOf>>;

let file: string;
let undisturbed: Lists;
/** When an import has read its file, and when it is done, in milliseconds from its start. */
let writing: [number, number];

beforeAll(async () => {
  const registry = await tool.newRegistry();
  file = await registry.file('names.csv', namesFile('nimi'));
  const startedAt = performance.now();
  const { status, stdout } = await registry.spawn(['retained', 'import', file, '--json']);
  const duration = performance.now() - startedAt;
  // Reading the file and starting the runtime take the first part of it.
  writing = [duration * 0.4, duration];
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, added: count });
  undisturbed = await listsOf(registry);
}, 5 * minutes);

test(
  'ends in the same lists as an undisturbed import, however often it is killed',
  async () => {
    const registry = await tool.newRegistry();
    const args = ['retained', 'import', file];
    for (const moment of moments(4, writing)) await killAfter(registry, args, moment);
    await registry.done(args);
    expect(await listsOf(registry)).toEqual(undisturbed);
  },
  10 * minutes,
);

test(
  'replaces the lists in one step, whenever it is killed',
  async () => {
    const before = await tool.newRegistry();
    await before.done(['retained', 'import', await before.file('old.csv', namesFile('vana'))]);
    const old = await listsOf(before);
    const args = ['retained', 'import', file, '--replace', '--yes'];
    for (const moment of moments(2, writing)) {
      const registry = new TestRegistry(`${before.directory}-killed-${moment}`);
      await cp(before.directory, registry.directory, { recursive: true });
      await killAfter(registry, args, moment);
      const seen = await listsOf(registry);
      expect([old.names, undisturbed.names]).toContain(seen.names);
      for (const list of seen.published) {
        const behind = expect.any(Boolean);
        const whole = [...old.published, ...undisturbed.published];
        expect(whole.map((other) => ({ ...other, behind }))).toContainEqual(list);
      }
      await registry.done(args);
      expect(await listsOf(registry)).toEqual(undisturbed);
    }
  },
  10 * minutes,
);
