import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint, signCheckpoint, signerOf } from '../../../src/list/log/note.ts';
import { unbundle } from '../../../src/list/log/tree.ts';
import { startSandbox } from '../../support/worker.ts';

/** Verifiers that were not written here, or need nothing of this program, beside a log of sixty days. */
const worker = startSandbox();
let directory: string;
let address: string;
let key: string;
let early: string;
const leaves: string[] = [];

/** Moves the clock, so that the cron archives and appends. */
async function advance(days: number): Promise<void> {
  const body = JSON.stringify({ advance: `P${days}D` });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await worker.fetch('/sandbox/clock', { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
}

const get = async (place: string) => (await worker.fetch(place)).text();

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'registry-verifiers-'));
  address = worker.url.origin;
  await advance(30);
  early = await get('/log/checkpoint');
  await advance(30);
  key = (await get('/log/key')).trimEnd();
  const { size } = parseCheckpoint(await get('/log/checkpoint'));
  for (const tile of ['000', `001.p/${size - 256}`]) {
    const answer = await worker.fetch(`/log/tile/entries/${tile}`);
    for (const entry of unbundle(new Uint8Array(await answer.arrayBuffer()))) {
      leaves.push(new TextDecoder().decode(entry));
    }
  }
}, 300_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

async function run(command: string, args: string[], env: Record<string, string> = {}, cwd = '.') {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status: child.exitCode, stdout, stderr };
}

const go = '/usr/share/gocode';
const verify = (leaf: string, index: number, earlier: number) =>
  run(
    'go',
    ['run', 'test/list/log/verify.go', address, key, String(index), leaf, String(earlier)],
    // As Debian installs it: outside of modules.
    { GO111MODULE: 'off', GOPATH: go, GOFLAGS: '' },
  );

it('golang.org/x/mod/sumdb accepts the checkpoint, an inclusion and a consistency proof', async ({
  skip,
}) => {
  if (spawnSync('go', ['version']).error) skip('there is no Go (golang-go)');
  if (!existsSync(`${go}/src/golang.org/x/mod`)) skip('there is no golang-golang-x-mod-dev');
  const size = leaves.length;
  expect(size).toBeGreaterThan(270);
  for (const [index, earlier] of [
    [0, 1],
    [270, 257],
    [size - 1, size],
  ] as const) {
    expect(await verify(leaves[index]!, index, earlier)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`^localhost/log ${size} ${index} `),
    });
  }
  const wrong = await verify(leaves[1]!, 0, 1);
  expect(wrong).toMatchObject({ status: 1, stdout: '' });
});

describe('the program that the log serves', () => {
  const check = (name: string, day: string, with_ = key, ...kept: string[]) =>
    run(
      'python3',
      [path.join(directory, 'check.py'), address, with_, name, day, ...kept],
      {},
      directory,
    );

  beforeAll(async () => {
    const script = await fetch(`${address}/log/check.py`);
    await writeFile(path.join(directory, 'check.py'), await script.text());
  });

  const needPrograms = (skip: (reason: string) => void) => {
    for (const program of ['python3', 'openssl']) {
      if (spawnSync(program, ['version']).error) skip(`there is no ${program}`);
    }
  };

  it('the program that the log serves checks one day with the standard library and openssl', async ({
    skip,
  }) => {
    needPrograms(skip);
    const [name, day] = leaves.at(-1)!.split(' ') as [string, string];
    const done = await check(name, day);
    expect(done).toMatchObject({ status: 0, stderr: 'Signature Verified Successfully\n' });
    const size = leaves.length;
    expect(done.stdout).toMatch(
      ` entries, as leaf ${size - 1} of the ${size} of localhost/log; see ${name}-${day}.json\n`,
    );
    const served = await get(`/repp/v1/retained_domains?type=${name}&as_of=${day}`);
    expect(readFileSync(path.join(directory, `${name}-${day}.json`), 'utf8')).toBe(served);
    expect((await check('auctions', day)).status).toBe(0);
    expect((await check('all', day)).status).toBe(0);
  });

  it('the program that the log serves says in a sentence what it refuses', async ({ skip }) => {
    needPrograms(skip);
    const [name, day] = leaves.at(-1)!.split(' ') as [string, string];
    // A digit of the key other than the right one.
    const other = key.replace(/.(?=.{4}$)/, (digit) => (digit === 'A' ? 'B' : 'A'));
    const refused = await check(name, day, other);
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/the checkpoint was not signed with localhost\/log\+\S+\n$/);
    for (const wrong of ['x', 'localhost/log+1234', `${key}+`, key.slice(0, -1)]) {
      const { status, stdout, stderr } = await check(name, day, wrong);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `${wrong} is not a key: give a whole line of /log/key, which is NAME+ID+KEY\n`,
      );
    }
    const unknown = await check(name, '2020-01-01');
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toMatch(/on 2020-01-01 is not in the log: it says nothing about that/);
  });

  it('the program that the log serves checks a line against a checkpoint that was kept', async ({
    skip,
  }) => {
    needPrograms(skip);
    const file = path.join(directory, 'early');
    await writeFile(file, early);
    const [name, day] = leaves[7]!.split(' ') as [string, string];
    expect(await check(name, day, key, file)).toMatchObject({ status: 0 });
    const former = await signerOf('localhost/log', Buffer.alloc(32, 'f').toString('base64'));
    await writeFile(file, await signCheckpoint(parseCheckpoint(early), [former]));
    expect(await check(name, day, key, file, former.verifierKey)).toMatchObject({ status: 0 });
    expect(await check(name, day, key, file)).toMatchObject({ status: 1 });
    await writeFile(file, early);
    const [late, lastDay] = leaves.at(-1)!.split(' ') as [string, string];
    const after = await check(late, lastDay, key, file);
    expect([after.status, after.stdout]).toEqual([1, '']);
    expect(after.stderr).toMatch(/was logged after the kept checkpoint\n$/);
    await writeFile(
      file,
      early.replace(/\n(\d+)\n/, (_, size) => `\n${size - 1}\n`),
    );
    const changed = await check(name, day, key, file);
    expect(changed.stderr).toMatch(/the checkpoint was not signed with localhost\/log\+\S+\n$/);
  });
});
