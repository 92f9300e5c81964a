import { expect, test } from 'vitest';
import { domainKind } from '../../src/move-in/domains.ts';
import type { Form, Kind } from '../../src/move-in/kind.ts';
import { type RowChange, writeForms } from '../../src/move-in/write.ts';
import { addRegistrar, operator, unique } from '../fixtures.ts';
import { shareWorker } from '../worker.ts';

const worker = shareWorker();

/** Writes the changes, and returns the keys of those that were not made. */
async function leftOf(kind: Kind, changes: RowChange[]) {
  const { actor, request } = operator;
  const left = await writeForms(worker.db, { actor, request }, kind, changes);
  return left.map(({ change }) => change.to![kind.key[0]!]);
}

const addition = (to: Form): RowChange => ({ action: 'add', from: null, to });

function domainOf(registrar: string, more: Form = {}): Form {
  const name = `nimi${unique()}.ee`;
  const createdAt = '2015-03-04T05:06:07.123Z';
  return {
    name,
    registrar,
    registrant: '[]',
    admin: '[]',
    tech: '[]',
    created_at: createdAt,
    ...more,
  };
}

test('leaves a row of a registrar that is not here', async () => {
  const domain = domainOf('PUUDUB');
  expect(await leftOf(domainKind, [addition(domain)])).toEqual([domain.name]);
});

test('does not count as left what lacks a contact that is not here', async () => {
  const { code } = await addRegistrar(worker.env);
  const [taken, lacking] = [domainOf(code), domainOf(code, { admin: '["PUUDUB:1"]' })];
  expect(await leftOf(domainKind, [addition(taken)])).toEqual([]);
  const left = await leftOf(domainKind, [addition(taken), addition(lacking)]);
  expect(left).toEqual([taken.name]);
});
