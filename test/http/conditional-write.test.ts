import { describe, expect, it } from 'vitest';
import { addContact, addDomainOf, addRegistrar, bearer } from '../fixtures.ts';
import { shareWorker } from '../worker.ts';

const worker = shareWorker();

async function registrarsContact() {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha);
  const path = `/repp/v1/contacts/${contact.code}`;
  const send = (method: string, headers: Record<string, string> = {}, fields?: object) =>
    worker.fetch(path, {
      method,
      headers: {
        Authorization: alpha.authorization,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(fields ? { body: JSON.stringify({ contact: fields }) } : {}),
    });
  const etag = async () => (await send('GET')).headers.get('ETag') as string;
  return { contact, send, etag };
}

describe('If-Match over the registrar interface', () => {
  it('lets an update through while the contact is at the version that was read', async () => {
    const { send, etag } = await registrarsContact();

    const response = await send('PUT', { 'If-Match': await etag() }, { phone: '+372.111' });

    expect(response.status).toBe(200);
  });

  it('stops an update when somebody else was faster, and changes nothing', async () => {
    const { send, etag } = await registrarsContact();
    const read = await etag();
    await send('PUT', {}, { phone: '+372.111' });

    const response = await send('PUT', { 'If-Match': read }, { phone: '+372.222' });

    expect(response.status).toBe(412);
    expect(await response.json()).toEqual({
      code: 2304,
      message: 'Contact is not at the expected version',
      data: {},
      errors: [{ code: 2304, message: 'Contact is not at the expected version', field: null }],
    });
    const { data } = (await (await send('GET')).json()) as { data: { contact: { phone: string } } };
    expect(data.contact.phone).toBe('+372.111');
  });

  it('stops a deletion when somebody else was faster', async () => {
    const { send, etag } = await registrarsContact();
    const read = await etag();
    await send('PUT', {}, { phone: '+372.111' });

    expect((await send('DELETE', { 'If-Match': read })).status).toBe(412);
    expect((await send('GET')).status).toBe(200);
  });

  it('lets one of many updates through that have read the same version', async () => {
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

  it('matches one of several tags, and whatever there is with *', async () => {
    const { send, etag } = await registrarsContact();

    const several = await send('PUT', { 'If-Match': `"0-0", ${await etag()}` }, { phone: '+1.1' });
    const any = await send('PUT', { 'If-Match': '*' }, { phone: '+1.2' });

    expect([several.status, any.status]).toEqual([200, 200]);
  });

  it('never matches a weak tag', async () => {
    const { send, etag } = await registrarsContact();

    const response = await send('PUT', { 'If-Match': `W/${await etag()}` }, { phone: '+1.1' });

    expect(response.status).toBe(412);
  });
});

describe('the entity tag of a contact', () => {
  it('is strong, stays while nothing changes, and differs after an update', async () => {
    const { send, etag } = await registrarsContact();
    const before = await etag();
    const again = await etag();
    await send('PUT', {}, { phone: '+372.111' });

    expect(before).toMatch(/^"[\w-]+"$/);
    expect(again).toBe(before);
    expect(await etag()).not.toBe(before);
  });

  it('differs once a domain refers to the contact, as its statuses do', async () => {
    const { contact, etag } = await registrarsContact();
    const before = await etag();
    await addDomainOf(worker.env, contact);

    expect(await etag()).not.toBe(before);
  });
});

describe('If-Match over the registrant interface', () => {
  it('stops an update when the registrar was faster, in the interface’s form', async () => {
    const { contact, send } = await registrarsContact();
    const authorization = await bearer(worker);
    const path = `/api/v1/registrant/contacts/${contact.uuid}`;
    const read = (
      await worker.fetch(path, { headers: { Authorization: authorization } })
    ).headers.get('ETag') as string;
    await send('PUT', {}, { phone: '+372.111' });

    const response = await worker.fetch(path, {
      method: 'PATCH',
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/json',
        'If-Match': read,
      },
      body: JSON.stringify({ phone: '+372.222' }),
    });

    expect(response.status).toBe(412);
    expect(await response.json()).toEqual({
      errors: { base: ['Contact is not at the expected version'] },
    });
  });

  it('takes the tag that an update answered with', async () => {
    const { contact } = await registrarsContact();
    const authorization = await bearer(worker);
    const update = (phone: string, headers: Record<string, string> = {}) =>
      worker.fetch(`/api/v1/registrant/contacts/${contact.uuid}`, {
        method: 'PATCH',
        headers: { Authorization: authorization, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ phone }),
      });
    const first = await update('+372.111');

    const second = await update('+372.222', { 'If-Match': first.headers.get('ETag') as string });

    expect(second.status).toBe(200);
  });
});
