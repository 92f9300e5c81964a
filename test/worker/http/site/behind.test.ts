import { afterEach, expect, it, vi } from 'vitest';
import { listNames } from '../../../../src/list/lists.ts';
import { publish } from '../../../../src/list/publish/publish.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { addAuction } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { documentProblem, textOf } from './document.ts';

const worker = shareEmptyWorker();
const minute = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

const publishAll = () =>
  publish({ db: worker.db, kv: worker.env.LISTS, clock: () => new Date() }, listNames);

/** The page at a time, in the isolate of these bindings, when what it started has ended. */
async function pageAt(time: number, env: typeof worker.env, language = 'en') {
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work), props: {} };
  vi.useFakeTimers({ now: time, toFake: ['Date'] });
  const response = await app.request(`/${language}/`, {}, env, context as never);
  const html = await response.text();
  await Promise.all(works);
  vi.useRealTimers();
  expect(response.status).toBe(200);
  expect(documentProblem(html)).toBeUndefined();
  return textOf(html);
}

const line = {
  en: 'The lists are behind at the moment: the latest changes may be missing.',
  et: 'Nimekirjad ei ole praegu ajakohased: viimased muudatused võivad puududa.',
};

it('says in one line that lists are behind, once an isolate knows, until they are not', async () => {
  await publishAll();
  await addAuction(worker.env);
  const env = { ...worker.env, DB: Object.create(worker.env.DB) as D1Database };
  const late = Date.now() + 2 * minute;

  expect(await pageAt(late, env)).not.toContain(line.en);
  expect(await pageAt(late + 1_000, env)).toContain(line.en);
  expect(await pageAt(late + 2_000, env, 'et')).toContain(line.et);

  await publishAll();
  expect(await pageAt(late + minute, env)).toContain(line.en);
  expect(await pageAt(late + minute + 1_000, env)).not.toContain(line.en);
});

it('says nothing of a change that is being published', async () => {
  await publishAll();
  await addAuction(worker.env);
  const env = { ...worker.env, DB: Object.create(worker.env.DB) as D1Database };
  const soon = Date.now() + minute;
  await pageAt(soon, env);
  expect(await pageAt(soon + 1_000, env)).not.toContain(line.en);
});
