import { expect, it } from 'vitest';
import { answerOf, registrantClient, registrarClient } from '../../support/client.ts';
import {
  addDomainOf,
  addOwnContact,
  addRegistrar,
  bearer,
  newContact,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

async function registrarsContact() {
  const { registrar: alpha, contact } = await addOwnContact(worker.env);
  const send = (method: string, headers: Record<string, string> = {}, fields?: object) =>
    repp.request(alpha, method, `/${contact.code}`, fields && { contact: fields }, headers);
  const etag = async () => (await send('GET')).headers.get('ETag') as string;
  return { contact, send, etag };
}

it('If-Match over the registrar interface stops an update if somebody else was faster, and changes nothing', async () => {
  const { send, etag } = await registrarsContact();
  const read = await etag();
  await send('PUT', {}, { phone: '+372.111' });

  expect(await answerOf(send('PUT', { 'If-Match': read }, { phone: '+372.222' }))).toEqual({
    status: 412,
    body: {
      code: 2304,
      message: 'Contact is not at the expected version',
      data: {},
      errors: [
        {
          code: 2304,
          message: 'Contact is not at the expected version',
          field: null,
          detail:
            'The contact is not at a version that If-Match or If-None-Match allows; no status prohibits the operation.',
        },
      ],
    },
  });
  const { data } = (await (await send('GET')).json()) as { data: { contact: { phone: string } } };
  expect(data.contact.phone).toBe('+372.111');
});

it('If-Match over the registrar interface allows one of many updates that have read the same version', async () => {
  const { send, etag } = await registrarsContact();
  const read = await etag();

  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      send('PUT', { 'If-Match': read }, { phone: `+372.${n + 1}` }),
    ),
  );

  const statuses = responses.map((response) => response.status).sort();
  expect(statuses).toEqual([200, 412, 412, 412, 412, 412]);
});

it('the entity tag of a contact differs once a domain refers to the contact, as its statuses do', async () => {
  const { contact, etag } = await registrarsContact();
  const before = await etag();
  await addDomainOf(worker.env, contact);

  expect(await etag()).not.toBe(before);
});

const key = (value: string) => ({ 'Idempotency-Key': value });
const tagOf = (response: Response) => response.headers.get('ETag');

it('the answer to a write has the tag of the new contact, which a later write may depend on', async () => {
  const alpha = await addRegistrar(worker.env);
  const created = await repp.request(alpha, 'POST', '', { contact: newContact({ id: 'NEW' }) });
  const path = `/${alpha.code}:NEW`;
  expect(tagOf(created)).toMatch(/^"[\w-]+"$/);
  expect(tagOf(created)).toBe(tagOf(await repp.request(alpha, 'GET', path)));

  const update = { contact: { phone: '+1.1' } };
  const headers = { 'If-Match': tagOf(created) as string };
  const updated = await repp.request(alpha, 'PUT', path, update, headers);
  expect(updated.status).toBe(200);
  expect(tagOf(updated)).toBe(tagOf(await repp.request(alpha, 'GET', path)));
  expect(tagOf(updated)).not.toBe(tagOf(created));
  // An update that changes nothing leaves the tag.
  expect(tagOf(await repp.request(alpha, 'PUT', path, update))).toBe(tagOf(updated));
});

it('the answer to a write has the tag of a contact that a domain refers to', async () => {
  const { contact, send, etag } = await registrarsContact();
  await addDomainOf(worker.env, contact);
  const updated = await send('PUT', {}, { phone: '+1.1' });
  expect(tagOf(updated)).toBe(await etag());
});

it('the answer to a write has the same tag when it is replayed, whatever has changed since', async () => {
  const alpha = await addRegistrar(worker.env);
  const path = `/${alpha.code}:TWICE`;
  const create = () =>
    repp.request(alpha, 'POST', '', { contact: newContact({ id: 'TWICE' }) }, key('create'));
  const update = () =>
    repp.request(alpha, 'PUT', path, { contact: { phone: '+1.1' } }, key('update'));
  const first = [tagOf(await create()), tagOf(await update())];
  expect(first).toEqual([expect.any(String), expect.any(String)]);
  await repp.update(alpha, `${alpha.code}:TWICE`, { phone: '+1.2' });

  const replayed = [await create(), await update()];

  expect(replayed.map((each) => each.headers.get('Idempotent-Replayed'))).toEqual(['true', 'true']);
  expect(replayed.map(tagOf)).toEqual(first);
  const stale = { 'If-Match': first[1] as string };
  expect((await repp.update(alpha, `${alpha.code}:TWICE`, { fax: null }, stale)).status).toBe(412);
});

it('the answer to a write has the tag over the registrant interface, when it is replayed too', async () => {
  const { contact, send } = await registrarsContact();
  const person = { authorization: await bearer(worker) };
  const patch = () =>
    portal.request(person, 'PATCH', `/${contact.uuid}`, { phone: '+1.1' }, key('patch'));
  const first = await patch();
  expect(tagOf(first)).toBe(tagOf(await portal.request(person, 'GET', `/${contact.uuid}`)));
  await send('PUT', {}, { phone: '+1.2' });

  const replayed = await patch();

  expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
  expect(tagOf(replayed)).toBe(tagOf(first));
  expect(await replayed.text()).toBe(await first.text());
});
