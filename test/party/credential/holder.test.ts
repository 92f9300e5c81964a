import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { systems } from '../../../drizzle/schema.ts';
import { digestSecret } from '../../../src/party/credential/holder.ts';
import { rotateHolder, setHolderDisabled } from '../../../src/party/credential/operator/holder.ts';
import { addSystem, operator } from '../../support/fixtures.ts';
import { beforeBatch } from '../../support/meanwhile.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

async function aSystem() {
  const { name, key } = await addSystem(worker.env, ['domains']);
  const holder = { type: 'system', key: name } as const;
  const row = async () =>
    (await worker.db.select().from(systems).where(eq(systems.name, name)))[0]!;
  return { holder, row, digest: await digestSecret(key) };
}

test('a key that somebody ends at once at that moment does not work beside the next one', async () => {
  const { holder, row, digest } = await aSystem();
  const end = () => rotateHolder(worker.operation, holder, { atOnce: true });
  const db = beforeBatch(worker.env, 2, end);
  await rotateHolder({ db, origin: operator }, holder, { atOnce: false });
  const { keyDigest, previousKeyDigest } = await row();
  expect([keyDigest, previousKeyDigest]).not.toContain(digest);
});

test('a system that somebody disables at that moment stays disabled with its next key', async () => {
  const { holder, row } = await aSystem();
  const disable = () => setHolderDisabled(worker.operation, holder, true);
  const db = beforeBatch(worker.env, 2, disable);
  await rotateHolder({ db, origin: operator }, holder, { atOnce: true });
  expect((await row()).disabledAt).not.toBeNull();
});
