import { expect, it } from 'vitest';
import { importContacts } from '../../../../src/contact/operator/import.ts';
import { answerOf, refused, registrantClient, registrarClient } from '../../../support/client.ts';
import {
  addContact,
  addOwnContact,
  addPerson,
  addRegistrar,
  contactValues,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

/** `If-Match` and `If-None-Match` on one contact (RFC 9110, section 13). The current tag is written `NOW`. */

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

type Headers = Record<string, string>;

/** A contact over both interfaces, each with the method by which it updates. */
async function contactOverBoth() {
  const [registrar, person] = [await addRegistrar(worker.env), await addPerson(worker.env)];
  const { code, uuid } = await addContact(worker.env, registrar, { ident: person.code });
  const overRepp = (method: string, headers: Headers, phone?: string) =>
    repp.request(registrar, method, `/${code}`, phone && { contact: { phone } }, headers);
  const overPortal = (method: string, headers: Headers, phone?: string) =>
    portal.request(person, method, `/${uuid}`, phone && { phone }, headers);
  return [
    { method: 'PUT', request: overRepp, phone: '+372.1' },
    { method: 'PATCH', request: overPortal, phone: '+372.2' },
  ];
}

it.each<[given: Headers, read: number, write: number]>([
  [{ 'If-None-Match': 'NOW' }, 304, 412],
  [{ 'If-None-Match': 'W/NOW' }, 304, 412],
  [{ 'If-None-Match': '"old", NOW' }, 304, 412],
  [{ 'If-None-Match': '*' }, 304, 412],
  [{ 'If-None-Match': '"old"' }, 200, 200],
  [{ 'If-Match': 'NOW' }, 200, 200],
  [{ 'If-Match': '*' }, 200, 200],
  [{ 'If-Match': ', "old" ,,NOW' }, 200, 200],
  [{ 'If-Match': 'W/NOW' }, 412, 412],
  [{ 'If-Match': '"old"' }, 412, 412],
  // If-Match is judged first.
  [{ 'If-Match': '"old"', 'If-None-Match': 'NOW' }, 412, 412],
  [{ 'If-Match': 'NOW', 'If-None-Match': 'NOW' }, 304, 412],
  [{ 'If-Match': 'NOW', 'If-None-Match': '"old"' }, 200, 200],
])('with %j, a contact is read with %i and updated with %i', async (given, read, write) => {
  for (const { method, request, phone } of await contactOverBoth()) {
    const tag = (await request('GET', {})).headers.get('ETag')!;
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('NOW', tag)]),
    );
    for (const reading of ['GET', 'HEAD']) {
      const response = await request(reading, headers);
      expect(response.status).toBe(read);
      expect(response.headers.get('ETag')).toBe(read === 412 ? null : tag);
      expect(response.headers.get('Cache-Control')).toBe('private, no-store');
      if (read === 304) expect(await response.text()).toBe('');
    }
    expect((await request(method, headers, phone)).status).toBe(write);
    const { headers: after } = await request('GET', {});
    expect(after.get('ETag') === tag).toBe(write !== 200);
  }
});

it('a deletion is stopped by a tag that must not be the current one, and by one that is not', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  for (const condition of [{ 'If-None-Match': '*' }, { 'If-Match': '"old"' }] as Headers[]) {
    expect((await repp.delete(registrar, code, condition)).status).toBe(412);
  }
  expect((await repp.delete(registrar, code, { 'If-None-Match': '"old"' })).status).toBe(200);
});

it('a condition on a contact that does not exist is not judged', async () => {
  const registrar = await addRegistrar(worker.env);
  const any: Headers[] = [{ 'If-None-Match': '*' }, { 'If-Match': '*' }];
  for (const headers of any) {
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { contact: { phone: '+1.1' } } : undefined;
      expect((await repp.request(registrar, method, '/NO:SUCH', body, headers)).status).toBe(404);
    }
  }
});

it.each(['If-Match', 'If-None-Match'])('%s that is no entity tag is refused', async (name) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const detail = `${name} takes entity tags in quotes, as ETag gives them, separated by commas, or *.`;
  const refusal = refused(2005, `${name} is invalid [${name}]`, name);
  Object.assign(refusal.body.errors[0]!, { detail });
  for (const value of ['abc', '"abc', '"a" "b"', '"a", b', '*, "a"', ',', 'w/"a"']) {
    const headers = { [name]: value };
    const answer = answerOf(repp.request(registrar, 'GET', `/${code}`, undefined, headers));
    expect(await answer).toEqual(refusal);
  }
});

it('no tag of a contact that was deleted fits it when it is imported again', async () => {
  const { registrar, code, uuid } = await addOwnContact(worker.env);
  const { headers } = await repp.request(registrar, 'GET', `/${code}`);
  expect((await repp.request(registrar, 'DELETE', `/${code}`)).status).toBe(200);
  const record = { ...contactValues, registrar: registrar.code, code, uuid };
  await importContacts(worker.operation, [record]);

  const condition = { 'If-Match': headers.get('ETag')! };
  const body = { contact: { phone: '+372.1' } };
  const { status } = await repp.request(registrar, 'PUT', `/${code}`, body, condition);
  expect(status).toBe(412);
});
