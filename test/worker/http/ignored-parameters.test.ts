import { expect, it, test } from 'vitest';
import { addRegistrar, basic, newContact, send } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

const worker = shareEmptyWorker();

async function ignored(path: string, init?: RequestInit) {
  const response = await worker.fetch(path, init);
  return { status: response.status, ignored: response.headers.get('Ignored-Parameters') };
}

it('parameters that a call does not know are named by the public lists, 304 included', async () => {
  await worker.scheduled('1 0 * * *');
  expect((await ignored('/repp/v1/auctions?type=blocked')).ignored).toBe('type');
  const path = '/repp/v1/retained_domains?type=blocked&color=red';
  const full = await worker.fetch(path);
  expect(full.headers.get('Ignored-Parameters')).toBe('color');
  const known = { headers: { 'If-None-Match': full.headers.get('ETag') as string } };
  expect(await ignored(path, known)).toEqual({ status: 304, ignored: 'color' });
  expect(await ignored('/repp/v1/retained_domains?type=blocked', known)).toEqual({
    status: 304,
    ignored: null,
  });
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
    expect((await ignored(`/repp/v1/contacts${query}`, send('GET', alpha))).ignored).toBeNull();
  }
});

test('tells a stranger nothing about parameters and fields', async () => {
  const stranger = { authorization: basic('stranger', 'secret') };
  const contact = newContact({ color: 'red' });
  const sent = send('POST', stranger, { contact });
  const response = await worker.fetch('/repp/v1/contacts?color=red', sent);
  expect(response.status).toBe(401);
  expect(response.headers.get('Ignored-Parameters')).toBeNull();
  expect(response.headers.get('Ignored-Fields')).toBeNull();
});
