import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { history, retainedDomains } from '../../drizzle/schema.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { named } from '../name/retained/records.ts';
import { emptyLists, operator } from '../support/fixtures.ts';
import { startWorker } from '../support/worker.ts';

const worker = startWorker();

test('takes back an import of 100,000 names, batch by batch', async () => {
  const count = 100_000;
  await emptyLists(worker.env);
  const names = Array.from({ length: count }, (_, n) => named(`name${n}.ee`, 'blocked'));
  const { actor, request } = operator;
  const origin = { actor, request };
  // Chunk by chunk under one request, as the import does.
  for (let from = 0; from < count; from += 1_000) {
    await addRetainedDomains({ db: worker.db, origin }, names.slice(from, from + 1_000));
  }
  const reverting = { actor, request: operator.request };
  const plan = await planRevert({ db: worker.db, origin: reverting }, request.requestId);
  await revert({ db: worker.db, origin: reverting }, plan);
  expect(await worker.db.$count(retainedDomains)).toBe(0);
  const entries = eq(history.requestId, reverting.request.requestId);
  expect(await worker.db.$count(history, entries)).toBe(count);
});
