import { count, gt } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { history, retainedDomains } from '../../../drizzle/schema.ts';
import { addRetainedDomains } from '../../../src/name/retained/operator/change-names.ts';
import { listRetainedDomains } from '../../../src/name/retained/operator/list.ts';
import { replaceRetainedDomains } from '../../../src/name/retained/operator/replace.ts';
import { operator } from '../../support/fixtures.ts';
import { aroundBatches, beforeBatch } from '../../support/meanwhile.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { named, retainedHistory } from './records.ts';

const worker = shareEmptyWorker();

beforeEach(async () => {
  await worker.db.delete(retainedDomains);
});

function all() {
  return listRetainedDomains(worker.db, { page: { limit: 1_000_000 } });
}

function historySince(id: number) {
  return retainedHistory(worker.db, gt(history.id, id));
}

async function lastHistoryId() {
  const [row] = await worker.db.select({ count: count() }).from(history);
  return row!.count;
}

describe('replaceRetainedDomains', () => {
  it('makes the names of a status equal to the ones given, and leaves other statuses alone', async () => {
    await addRetainedDomains(worker.operation, [
      named('gone.ee'),
      named('kept.ee'),
      named('gone.ee', 'blocked'),
    ]);
    const before = await lastHistoryId();

    const result = await replaceRetainedDomains(
      worker.operation,
      ['reserved'],
      [named('kept.ee'), named('new.ee'), named('kept.ee')],
    );

    expect(result).toEqual({ added: 1, updated: 0, removed: 1 });
    expect(await all()).toEqual([named('gone.ee', 'blocked'), named('kept.ee'), named('new.ee')]);
    expect(await historySince(before)).toEqual([
      {
        key: 'gone.ee',
        action: 'delete',
        changes: {
          status: { from: 'reserved', to: null },
          createdAt: { from: worker.operation.origin.request.at.toISOString(), to: null },
        },
      },
      { key: 'new.ee', action: 'create', changes: { status: { from: null, to: 'reserved' } } },
    ]);
  });

  it('replaces both statuses in one step', async () => {
    await addRetainedDomains(worker.operation, [named('a.ee'), named('b.ee', 'blocked')]);
    const result = await replaceRetainedDomains(
      worker.operation,
      ['reserved', 'blocked'],
      [named('a.ee', 'blocked'), named('b.ee', 'blocked')],
    );
    expect(result).toEqual({ added: 1, updated: 0, removed: 1 });
    expect(await all()).toEqual([named('a.ee', 'blocked'), named('b.ee', 'blocked')]);
  });

  it('empties a list that is replaced by nothing', async () => {
    await addRetainedDomains(worker.operation, [named('a.ee')]);
    expect(await replaceRetainedDomains(worker.operation, ['reserved'], [])).toEqual({
      added: 0,
      updated: 0,
      removed: 1,
    });
    expect(await all()).toEqual([]);
  });

  it('sets the passwords and last days that are given, and keeps the others', async () => {
    const owned = (name: string) => ({ ...named(name), password: 'omanik', lastDay: '2027-01-31' });
    await addRetainedDomains(worker.operation, [owned('a.ee'), owned('b.ee')]);
    const wanted = [{ ...named('a.ee'), lastDay: '2028-01-31' }, named('b.ee'), owned('c.ee')];
    const counts = { added: 1, updated: 1, removed: 0 };
    for (const options of [{ isDryRun: true }, {}]) {
      const replace = replaceRetainedDomains(
        { ...worker.operation, ...options },
        ['reserved'],
        wanted,
      );
      expect(await replace).toEqual(counts);
    }
    expect(await all()).toEqual([
      { ...owned('a.ee'), lastDay: '2028-01-31' },
      owned('b.ee'),
      owned('c.ee'),
    ]);
  });

  it('replaces the list once where the last step arrives twice', async () => {
    await addRetainedDomains(worker.operation, [named('old.ee')]);
    const twice = aroundBatches(worker.env, async (send) => {
      await send();
      return send();
    });
    await replaceRetainedDomains({ db: twice, origin: operator }, ['reserved'], [named('new.ee')]);
    expect(await all()).toEqual([named('new.ee')]);
  });

  it('compares again where somebody adds a name between the comparison and the change', async () => {
    await addRetainedDomains(worker.operation, [named('old.ee')]);
    const interrupted = beforeBatch(worker.env, 1, () =>
      addRetainedDomains(worker.operation, [named('late.ee')]),
    );
    const origin = { ...operator, request: { ...operator.request, requestId: 'replacing' } };
    expect(
      await replaceRetainedDomains({ db: interrupted, origin }, ['reserved'], [named('new.ee')]),
    ).toEqual({ added: 1, updated: 0, removed: 2 });
    expect(await all()).toEqual([named('new.ee')]);
  });

  it('gives the list of one of two that replace it at once', async () => {
    const names = (prefix: string) =>
      Array.from({ length: 50 }, (_, n) => named(`${prefix}${String(n).padStart(2, '0')}.ee`));
    await Promise.all(
      ['x', 'y'].map((prefix) =>
        replaceRetainedDomains(worker.operation, ['reserved'], names(prefix)),
      ),
    );
    const kept = await all();
    expect(kept).toEqual(names(kept[0]!.name.slice(0, 1)));
  });
});
