import { beforeAll, expect, test } from 'vitest';
import { archiveLists } from '../../../src/list/archive/archive.ts';
import { listNames } from '../../../src/list/lists.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { addRegistrar, send } from '../../support/fixtures.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { cacheControls } from './cache-control.ts';

const worker = shareEmptyWorker();

beforeAll(async () => {
  const { env, db } = worker;
  const noon = new Date('2026-05-01T12:00:00Z');
  await publish({ db, kv: env.LISTS, clock: () => noon }, listNames);
  await archiveLists(env.LISTS, env.ARCHIVE!, listNames, new Date('2026-05-02T00:01:00Z'));
  await worker.scheduled('1 0 * * *');
});

const lists = 'public, max-age=15, stale-if-error=86400';
const kept: Record<string, string> = {
  '/repp/v1/auctions': lists,
  '/repp/v1/retained_domains?type=disputed': lists,
  '/repp/v1/auctions.csv': lists,
  '/repp/v1/retained_domains/a.ee': lists,
  '/repp/v1/retained_domains/a.ee/history': lists,
  '/auctions.atom': lists,
  '/et/': lists,
  '/en/?name=a.ee': lists,
  '/repp/v1/auctions?as_of=2026-05-01': 'public, max-age=31536000, immutable',
};

test.each(Object.entries(kept))(
  'what anybody may read is kept by the platform: %s',
  async (path, value) => {
    const { status, headers } = await worker.fetch(path);
    expect([status, headers.get('Cache-Control')]).toEqual([200, value]);
    expect(cacheControls).toHaveProperty([value]);
  },
);

test.each([
  '/',
  '/health',
  '/en/?name=-',
  '/en/nothing',
  '/nothing',
  '/repp/v1/auctions?type=x&as_of=x',
  '/repp/v1/retained_domains/-',
  '/repp/v1/contacts',
  '/repp/v1/registrar',
  '/repp/v1/registrar/notifications',
  '/api/v1/auctions',
  '/api/v1/registrant/contacts',
  '/api/v1/internal/changes',
])('an alarm, a refusal and what has a caller are kept by nobody: %s', async (path) => {
  const { headers } = send('GET', await addRegistrar(worker.env));
  const answer = await worker.fetch(path, { headers, redirect: 'manual' });
  expect(answer.headers.get('Cache-Control')).toBe('private, no-store');
});
