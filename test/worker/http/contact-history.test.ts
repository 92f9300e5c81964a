import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { history } from '../../../drizzle/schema.ts';
import { updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { transferContact } from '../../../src/contact/operator/transfer.ts';
import { registrantClient, registrarClient } from '../../support/client.ts';
import {
  addOwnContact,
  addPerson,
  addRegistrar,
  bearer,
  newContact,
  unique,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

interface Entry {
  at: string;
  action: string;
  by: string;
  request_id: string;
  client_reference: string | null;
  changes: Record<string, unknown>;
}

async function historyAt(registrar: { authorization: string }, path: string): Promise<Entry[]> {
  const response = await repp.request(registrar, 'GET', path);
  return ((await response.json()) as { data: { history: Entry[] } }).data.history;
}

describe('GET /repp/v1/contacts/{code}/history', () => {
  it('shows who changed what, when and in which request, newest first', async () => {
    const { registrar: alpha, contact } = await addOwnContact(worker.env, {
      phone: '+372.111',
      fax: '+372.9',
    });
    const update = await repp.request(
      alpha,
      'PUT',
      `/${contact.code}`,
      { contact: { phone: '+372.222', fax: null, auth_info: 'open sesame' } },
      { 'X-Client-Transaction-Id': 'ALPHA-2026-0001' },
    );

    const [newest] = await historyAt(alpha, `/${contact.code}/history`);

    expect(update.headers.get('X-Client-Transaction-Id')).toBe('ALPHA-2026-0001');
    expect(newest).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      action: 'update',
      by: `${alpha.apiUser.id}-ApiUser: ${alpha.apiUser.username}`,
      request_id: update.headers.get('X-Request-Id'),
      client_reference: 'ALPHA-2026-0001',
      changes: {
        phone: { from: '+372.111', to: '+372.222' },
        fax: { from: '+372.9', to: null },
        auth_info: { redacted: true },
      },
    });
  });

  it('shows a registrant’s change with their name, never the identity code', async () => {
    const { registrar: alpha, contact } = await addOwnContact(worker.env);
    const person = { authorization: await bearer(worker) };
    await portal.update(person, contact.uuid, { email: 'new@example.ee' });

    const [newest] = await historyAt(alpha, `/${contact.code}/history`);

    expect(newest?.by).toBe('RegistrantUser: Mari Maasikas');
  });

  it('does not show the history of an earlier contact with the same code', async () => {
    const alpha = await addRegistrar(worker.env);
    const contact = newContact({ id: 'AGAIN' });
    await repp.request(alpha, 'POST', '', { contact });
    await repp.request(alpha, 'DELETE', `/${alpha.code}:AGAIN`);
    await repp.request(alpha, 'POST', '', { contact });

    const entries = await historyAt(alpha, `/${alpha.code}:AGAIN/history`);

    expect(entries.map((entry) => entry.action)).toEqual(['create']);
  });

  it('keeps a contact’s history readable to the registrar after the contact is deleted', async () => {
    const alpha = await addRegistrar(worker.env);
    await repp.create(alpha, newContact({ id: 'GONE' }));
    await repp.update(alpha, `${alpha.code}:GONE`, { phone: '+1.1' });
    await repp.delete(alpha, `${alpha.code}:GONE`);

    for (const code of [`${alpha.code}:GONE`, `${alpha.code}:gone`.toLowerCase()]) {
      const entries = await historyAt(alpha, `/${code}/history`);
      expect(entries.map((entry) => entry.action)).toEqual(['delete', 'update', 'create']);
    }
    expect(await historyAt(alpha, `/${alpha.code}:GONE/history?offset=3`)).toEqual([]);
  });

  it('shows the last one of several deleted contacts with the same code', async () => {
    const alpha = await addRegistrar(worker.env);
    for (const name of ['First One', 'Second One']) {
      await repp.create(alpha, newContact({ id: 'AGAIN', name }));
      await repp.delete(alpha, `${alpha.code}:AGAIN`);
    }

    const entries = await historyAt(alpha, `/${alpha.code}:AGAIN/history`);

    expect(entries.map(({ action }) => action)).toEqual(['delete', 'create']);
    expect(entries[1]?.changes).toMatchObject({ name: { from: null, to: 'Second One' } });
  });

  it('keeps the history readable where another registrar’s contact has got the code again', async () => {
    const alpha = await addRegistrar(worker.env);
    const beta = await addRegistrar(worker.env);
    const code = `${alpha.code}:AGAIN`;
    await repp.create(alpha, newContact({ id: 'AGAIN', name: 'First One' }));
    await transferContact(worker.operation, code, beta.code);
    await repp.delete(beta, code);
    await repp.create(alpha, newContact({ id: 'AGAIN', name: 'Second One' }));

    const [ofBeta, ofAlpha] = [
      await historyAt(beta, `/${code}/history`),
      await historyAt(alpha, `/${code}/history`),
    ];

    expect(ofBeta.map(({ action }) => action)).toEqual(['delete', 'update', 'create']);
    expect(ofBeta.at(-1)?.changes).toMatchObject({ name: { from: null, to: 'First One' } });
    expect(ofAlpha.map(({ action }) => action)).toEqual(['create']);
  });

  it('shows a former registrar nothing of a contact that was transferred', async () => {
    const [alpha, beta] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
    const code = `${alpha.code}:GIVEN`;
    await repp.create(alpha, newContact({ id: 'GIVEN' }));
    await transferContact(worker.operation, code, beta.code);
    const answers = [alpha, beta].map((each) => repp.request(each, 'GET', `/${code}/history`));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 200]);
  });

  it('shows nobody else what happened to a deleted contact', async () => {
    const n = unique();
    const alpha = await addRegistrar(worker.env, { code: `A_${n}` });
    await repp.create(alpha, newContact({ id: 'GONE' }));
    await repp.delete(alpha, `${alpha.code}:GONE`);

    // Codes that a careless comparison takes for the same: a wildcard, a beginning, a longer one.
    for (const code of [`AX${n}`, 'A_', `A_${n}_B`, `B${n}`]) {
      const other = await addRegistrar(worker.env, { code });
      const { status } = await repp.request(other, 'GET', `/${alpha.code}:GONE/history`);
      expect({ code, status }).toEqual({ code, status: 404 });
    }
    expect((await repp.request(alpha, 'GET', `/${alpha.code}:NEVER/history`)).status).toBe(404);
    expect((await repp.request(alpha, 'GET', `/${alpha.code}:/history`)).status).toBe(404);
  });
});

describe('GET /api/v1/registrant/contacts/{uuid}/history', () => {
  it('shows a person the history from the correction on by which the contact became theirs', async () => {
    const latvian = { countryCode: 'LV' };
    const person = await addPerson(worker.env, latvian);
    const former = await addPerson(worker.env, latvian);
    const { registrar: alpha, contact } = await addOwnContact(worker.env, {
      ...{ ident: former.code, identCountryCode: 'LV' },
      email: 'a@example.ee',
    });
    await repp.update(alpha, contact.code, { phone: '+1.1' });
    const correction = { ident: person.code, email: 'b@example.ee' };
    await updateAnyContact(worker.operation, contact.code, correction);
    await repp.update(alpha, contact.code, { phone: '+1.2' });
    const shown = async (query: string) => {
      const path = `/${contact.uuid}/history${query}`;
      const { history } = (await (await portal.request(person, 'GET', path)).json()) as {
        history: Entry[];
      };
      return history.map(({ changes }) => changes);
    };

    const later = { phone: { from: '+1.1', to: '+1.2' } };
    const corrected = { ident: { redacted: true }, email: { redacted: true } };
    expect(await shown('')).toEqual([later, corrected]);
    expect(await shown('?offset=1')).toEqual([corrected]);
    expect(await shown('?offset=2')).toEqual([]);
  });

  it('shows a person that history after the codes before and after it were removed as well', async () => {
    const person = await addPerson(worker.env);
    const { registrar: alpha, contact } = await addOwnContact(worker.env, { ident: person.code });
    await repp.update(alpha, contact.code, { phone: '+1.1' });
    await worker.db.insert(history).values({
      ...{ occurredAt: '2026-01-02T03:04:05.678Z', action: 'update' },
      ...{ subject: 'contact', subjectKey: contact.code, subjectUuid: contact.uuid },
      ...{ actorType: 'operator', actor: 'Operator', changes: { ident: { removed: true } } },
    });
    const response = await portal.request(person, 'GET', `/${contact.uuid}/history`);
    expect(await response.json()).toMatchObject({ history: [{ by: 'Operator' }] });
  });
});

it('the history table contains no auth_info and no secret', async () => {
  const { registrar: alpha, contact } = await addOwnContact(worker.env, {
    authInfo: 'before-secret',
  });
  await repp.request(alpha, 'PUT', `/${contact.code}`, {
    contact: { auth_info: 'after-secret' },
  });
  await repp.request(alpha, 'DELETE', `/${contact.code}`);

  const rows = await worker.db.select().from(history).where(eq(history.subjectUuid, contact.uuid));

  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/before-secret|after-secret/);
});

it('the history table refuses to be changed or shortened', async () => {
  const { registrar: alpha, contact } = await addOwnContact(worker.env);
  await repp.request(alpha, 'PUT', `/${contact.code}`, { contact: { phone: '+1.1' } });

  await expect(worker.env.DB.prepare("update history set actor = 'x'").run()).rejects.toThrow(
    'history is append-only',
  );
  await expect(worker.env.DB.prepare('delete from history').run()).rejects.toThrow(
    'history is append-only',
  );
  const forged = 'insert or replace into history select * from history limit 1';
  await expect(worker.env.DB.prepare(forged).run()).rejects.toThrow('history is append-only');
});

it('a client’s own reference is refused if it is longer than 64 characters', async () => {
  const alpha = await addRegistrar(worker.env);

  const response = await repp.request(alpha, 'GET', '', undefined, {
    'RPP-Cltrid': 'x'.repeat(65),
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 2005,
    message: 'Client transaction id is invalid [RPP-Cltrid]',
  });
});
