import { expect, it, test } from 'vitest';
import { addRegistrar, send } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

const worker = shareEmptyWorker();

async function ignored(path: string, init?: RequestInit) {
  return (await worker.fetch(path, init)).headers.get('Ignored-Parameters');
}

it('parameters that a call does not know are named by a list that has no types', async () => {
  expect(await ignored('/repp/v1/auctions?type=blocked')).toBe('type');
  expect(await ignored('/repp/v1/retained_domains?type=blocked')).toBeNull();
});

it('parameters that a call does not know are named once each, in a form that a header can carry', async () => {
  const { authorization } = await addRegistrar(worker.env);
  const path = '/repp/v1/contacts?a=1&a=2&=1&%0D%0ASet-Cookie:x&%C3%B5,b=1&limit=5';
  const answer = await onTheWire(worker.url, path, { headers: { Authorization: authorization } });
  expect(answer.headers['ignored-parameters']).toBe('a, , %0D%0ASet-Cookie:x, %C3%B5%2Cb');
});

test('names no parameter if all are known or none was sent', async () => {
  const alpha = await addRegistrar(worker.env);
  for (const query of ['', '?', '?limit=5&offset=0&details=true']) {
    expect(await ignored(`/repp/v1/contacts${query}`, send('GET', alpha))).toBeNull();
  }
});
