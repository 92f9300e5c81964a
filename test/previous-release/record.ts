import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Env } from '../../src/base/env.ts';
import { version } from '../../src/base/version.ts';
import worker from '../../src/index.ts';
import { kindsOf } from '../attack/commands.ts';
import { addRegistrar, addRetainedDomain } from '../support/fixtures.ts';
import { lentBucket } from '../support/lent-bucket.ts';
import { migrate, openForRequests } from '../support/local-data.ts';
import { type Call, recorded, recordingText } from './recorded.ts';

/**
 * Writes down what the Worker of this release says to D1 while it answers each kind of request and runs its cron, twice:
 * for the tests of the next release, which run it again on their own tables. Run it when a release is made:
 * `npx tsx test/previous-release/record.ts`.
 */
const file = path.join(import.meta.dirname, 'recording.ndjson');

const directory = await mkdtemp(path.join(tmpdir(), 'registry-record-'));
await migrate(directory);
const { env, dispose } = await openForRequests(directory);
env.ARCHIVE = lentBucket(env.ARCHIVE!);
const calls: Call[] = [];
try {
  for (const round of [1, 2]) {
    const recording = recorded(env, (call) => calls.push({ round, ...call }));
    const version = { VERSION: { id: 'recorded', tag: '', timestamp: '' } };
    const settings = { AUCTION_RESTART_STATUSES: 'payment_not_received' };
    await answerEverything({ ...recording, ...version, ...settings });
  }
} finally {
  await dispose();
  await rm(directory, { recursive: true });
}
const migrations = (await readdir('migrations')).filter((name) => name.endsWith('.sql')).sort();
await writeFile(file, recordingText({ release: version, migrations, calls }));

async function answerEverything(env: Env): Promise<void> {
  const registrar = await addRegistrar(env);
  await addRetainedDomain(env);
  for (const prepare of Object.values(kindsOf(env, registrar))) {
    const { path, init } = await prepare();
    await answered(env, path, init);
  }
  for (const list of [
    'auctions',
    'retained_domains',
    'retained_domains?type=disputed',
    'auctions?as_of=2026-05-01',
  ]) {
    await answered(env, `/repp/v1/${list}`, {});
  }
  const works: Promise<unknown>[] = [];
  await worker.scheduled({ cron: '1 0 * * *' } as never, env, newContext(works));
  await Promise.all(works);
}

async function answered(env: Env, path: string, init: RequestInit): Promise<void> {
  const works: Promise<unknown>[] = [];
  const request = new Request(new URL(path, 'http://localhost'), init);
  const response = await worker.fetch(request as never, env, newContext(works));
  await response.arrayBuffer();
  await Promise.all(works);
}

function newContext(works: Promise<unknown>[]): ExecutionContext {
  return { waitUntil: (work: Promise<unknown>) => works.push(work) } as never;
}
