import { expect, it, test } from 'vitest';
import {
  addAuction,
  addContact,
  addPerson,
  addRegistrar,
  basic,
  newContact,
  send,
} from '../support/fixtures.ts';
import { onTheWire } from '../support/wire.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

async function ignored(path: string, init?: RequestInit) {
  const response = await worker.fetch(path, init);
  return { status: response.status, ignored: response.headers.get('Ignored-Parameters') };
}

it('parameters that a call does not know are named by every call of the registrar interface', async () => {
  const alpha = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, alpha);
  const calls: [method: string, path: string, body?: object][] = [
    ['GET', ''],
    ['GET', `/${code}`],
    ['GET', `/check/${code}`],
    ['GET', `/${code}/history`],
    ['POST', '', { contact: newContact() }],
    ['PUT', `/${code}`, { contact: { phone: '+1.1' } }],
    ['DELETE', `/${code}`],
  ];
  for (const [method, path, body] of calls) {
    const url = `/repp/v1/contacts${path}?sort=name&page%5Bsize%5D=5`;
    expect(await ignored(url, send(method, alpha, body))).toEqual({
      status: 200,
      ignored: 'sort, page[size]',
    });
  }
});

it('parameters that a call does not know are named by every call of the registrant interface', async () => {
  const person = await addPerson(worker.env);
  const contact = await addContact(worker.env, await addRegistrar(worker.env), {
    ident: person.code,
  });
  const contacts = '/api/v1/registrant/contacts';
  const eid = { ident: person.code, first_name: 'Mari', last_name: 'Maasikas' };
  const calls: [path: string, init: RequestInit][] = [
    [contacts, send('GET', person)],
    [`${contacts}/${contact.uuid}`, send('GET', person)],
    [`${contacts}/${contact.uuid}/history`, send('GET', person)],
    [`${contacts}/${contact.uuid}`, send('PATCH', person, { phone: '+1.1' })],
    ['/api/v1/registrant/auth/eid', send('POST', person, eid)],
  ];
  for (const [path, init] of calls) {
    expect(await ignored(`${path}?details=true`, init)).toEqual({
      status: 200,
      ignored: 'details',
    });
  }
});

it('parameters that a call does not know are named by every call of the auction interface', async () => {
  const { uuid } = await addAuction(worker.env);
  const path = '/api/v1/auctions';
  expect((await ignored(`${path}?limit=1`)).ignored).toBe('limit');
  expect((await ignored(`${path}/${uuid}?limit=1`)).ignored).toBe('limit');
  expect((await ignored(`${path}/${uuid}?limit=1`, { method: 'PATCH' })).ignored).toBe('limit');
});

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
