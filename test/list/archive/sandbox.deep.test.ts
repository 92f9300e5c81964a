import { expect, test } from 'vitest';
import { dayOf, daysBefore } from '../../../src/base/time/day.ts';
import { addRetainedDomain } from '../../support/fixtures.ts';
import { startSandbox } from '../../support/worker.ts';

const worker = startSandbox();
const today = dayOf(new Date());

async function post(path: string, body = '') {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await worker.fetch(`/sandbox/${path}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
}

/** Moves the clock to a time of day so many days ahead, before the hourly run of the cron, and publishes. */
const moveTo = (days: number, time: string) =>
  post('clock', `{"now":"${daysBefore(today, -days)}T${time}:00Z"}`);

async function list(query = '') {
  const answer = await worker.fetch(`/repp/v1/retained_domains${query}`);
  return { etag: answer.headers.get('ETag'), body: await answer.text() };
}

test('answers for each day that has passed on its clock, until a reset', async () => {
  const { DB } = worker.env;
  await moveTo(1, '00:10');
  await addRetainedDomain(worker.env, { name: 'a.ee', punycode: 'a.ee' });
  await moveTo(1, '00:20');
  const first = await list();
  await moveTo(2, '00:10');
  await addRetainedDomain(worker.env, { name: 'b.ee', punycode: 'b.ee' });
  await moveTo(2, '00:20');
  const second = await list();
  await moveTo(3, '00:10');
  await DB.prepare("delete from retained_domains where name = 'b.ee'").run();
  await moveTo(3, '00:20');
  await moveTo(5, '00:10');

  const asOf = (days: number) => list(`?as_of=${daysBefore(today, -days)}`);
  expect(second.etag).not.toBe(first.etag);
  expect(await asOf(1)).toEqual(first);
  expect(await asOf(2)).toEqual(second);
  // The content of the first day, which the bucket has already.
  expect(await asOf(3)).toEqual(first);
  expect(await asOf(4)).toEqual(first);
  const { objects } = await worker.env.ARCHIVE!.list({ prefix: 'bodies/all/' });
  expect(objects).toHaveLength(2);

  await post('reset');
  expect((await worker.env.ARCHIVE!.list()).objects).toEqual([]);
});
