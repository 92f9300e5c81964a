import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addOwnContact, addRetainedDomain, emptyLists } from '../../support/fixtures.ts';
import { startWorker } from '../../support/worker.ts';

/** The examples of the interface documentation, run exactly as they stand there. */
const worker = startWorker();
let directory: string;

async function example(language: string, containing: string): Promise<string> {
  const text = await readFile('src/worker/http/README.md', 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.filter(([, kind, code]) => kind === language && code!.includes(containing));
  expect(found).toHaveLength(1);
  return found[0]![2]!;
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'examples-'));
  await addRetainedDomain(worker.env, { name: 'riigikogu.ee' });
  await addRetainedDomain(worker.env, { name: 'õ.ee', punycode: 'xn--mda.ee', status: 'blocked' });
  await worker.scheduled('31 * * * *');
});

afterAll(() => rm(directory, { recursive: true }));

test('the lines of curl read a list, its changes and names', async () => {
  const script = path.join(directory, 'example.sh');
  await writeFile(script, await example('sh', 'lookup'));
  const env = { ...process.env, REGISTRY: worker.url.origin };

  const { stdout } = await promisify(execFile)('sh', ['-e', script], { cwd: directory, env });

  const list = JSON.parse(await readFile(path.join(directory, 'list.json'), 'utf8'));
  expect(list.count).toBe(2);
  const [changes, name, lookup] = stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([changes.added, changes.removed]).toEqual([[], []]);
  expect(name.statuses).toEqual(['reserved']);
  expect(lookup.results.map(({ statuses }: { statuses: string[] }) => statuses)).toEqual([
    ['reserved'],
    ['blocked'],
  ]);
});

test('the lines of curl change a contact once', async () => {
  const { contact, registrar } = await addOwnContact(worker.env);
  const script = path.join(directory, 'change.sh');
  const lines = (await example('sh', 'If-Match')).replace('ALPHA:TAMMEPUU', contact.code);
  await writeFile(script, `${lines}curl${lines.split('\ncurl')[1]}`);
  const LOGIN = `${registrar.apiUser.username}:${registrar.secret}`;
  const env = { ...process.env, REGISTRY: worker.url.origin, LOGIN };

  const { stdout } = await promisify(execFile)('sh', ['-e', script], { env });

  const [first, again] = stdout.split(/(?=HTTP\/1.1 200 OK)/);
  expect(first).toContain('{"code":1000,');
  expect(again).toContain(first!.split('\r\n\r\n')[1]);
  expect([first, again].map((answer) => /Idempotent-Replayed: true/i.test(answer!))).toEqual([
    false,
    true,
  ]);
});

test('the lines of TypeScript follow a list, also after a 410', async () => {
  const file = path.join(directory, 'example.ts');
  await writeFile(file, await example('ts', 'refresh'));
  process.env.REGISTRY = worker.url.origin;
  const { refresh } = await import(/* @vite-ignore */ pathToFileURL(file).href);

  const first = await refresh();
  await addRetainedDomain(worker.env, { name: 'new.ee' });
  await worker.env.DB.prepare("delete from retained_domains where name = 'riigikogu.ee'").run();
  await worker.scheduled('31 * * * *');
  const second = await refresh(first);
  const whole = await refresh();
  expect([...second.entries].sort()).toEqual([...whole.entries].sort());
  expect(second.etag).toBe(whole.etag);
  expect(second.entries.size).toBe(2);

  await emptyLists(worker.env);
  await worker.scheduled('31 * * * *');
  expect((await refresh(second)).entries.size).toBe(0);
});
