import { beforeAll, expect, test } from 'vitest';
import { updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import { importDomains } from '../../../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { answerOf, registrarClient } from '../../../support/client.ts';
import {
  addOwnContact,
  addRegistrar,
  addSystem,
  newContact,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

let system: { authorization: string };
beforeAll(async () => {
  system = await addSystem(worker.env, ['changes']);
});

const get = (path: string, by = system) =>
  answerOf(worker.fetch(`/api/v1/internal/${path}`, send('GET', by)));

test('a system follows what a registrar and the operator change, with the names of fields and no values', async () => {
  const registrar = await addRegistrar(worker.env);
  const { body: start } = await get('changes?limit=0');
  expect(start).toEqual({ changes: [], after: expect.stringMatching(/^[\w-]+$/), more: false });
  const created = await repp.create(registrar, newContact({ addr: { city: 'Tartu' } }));
  const { id: code } = created.body.data.contact;
  await updateAnyContact(worker.operation, code, { countryCode: 'EE' });
  const name = parseDomainName(`järgnev${unique()}.ee`);
  const record = { ...name, registrar: registrar.code, registrant: code, admin: [code] };
  await importDomains(worker.operation, [record]);

  const { status, body } = await get(`changes?after=${start.after}`);
  expect(status).toBe(200);
  const common = { id: expect.any(Number), request_id: expect.any(String) };
  const ofContact = { subject: 'contact', key: code, registrar: registrar.code };
  expect(body.changes).toEqual([
    {
      ...common,
      ...ofContact,
      at: expect.stringMatching(/Z$/),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'create',
      by: `${registrar.apiUser.id}-ApiUser: ${registrar.apiUser.username}`,
      fields: expect.arrayContaining(['name', 'ident_type', 'city', 'auth_info']),
    },
    {
      ...common,
      ...ofContact,
      at: '2026-05-06T07:08:09.010Z',
      uuid: body.changes[0].uuid,
      action: 'update',
      by: 'Operator',
      fields: ['country_code'],
    },
    {
      ...common,
      at: '2026-05-06T07:08:09.010Z',
      subject: 'domain',
      key: name.name,
      uuid: null,
      registrar: registrar.code,
      action: 'create',
      by: 'Operator',
      fields: ['registrar', 'registrant', 'admin_contacts', 'tech_contacts'],
    },
  ]);
  expect(JSON.stringify(body)).not.toContain('Maasikas');
  expect(body.more).toBe(false);
  const one = await get(`changes?after=${start.after}&limit=1`);
  expect(one.body.changes).toEqual(body.changes.slice(0, 1));
  expect(one.body.more).toBe(true);
  const others = await get(`changes?after=${one.body.after}`);
  expect(others.body).toEqual({ ...body, changes: body.changes.slice(1) });
});

test('a place that the history no longer has is gone', async () => {
  const after = '999999999999999-0123456789abcdef';
  expect(await get(`changes?after=${after}`)).toEqual({
    status: 410,
    body: { errors: { after: [expect.stringContaining('limit=0')] } },
  });
});

test('what is not a place or a limit is refused under its parameter', async () => {
  for (const text of ['', '1', '1-short', '01-0123456789abcdef', '1-0123456789ABCDEF']) {
    expect(await get(`changes?after=${encodeURIComponent(text)}`)).toEqual({
      status: 400,
      body: { errors: { after: ['After is not from an earlier answer'] }, reason: 'invalid' },
    });
  }
  for (const [limit, problem] of [
    ['201', 'Limit is not from 0 to 200'],
    ['-1', 'Limit is not from 0 to 200'],
    ['x', 'Limit is invalid'],
  ]) {
    expect(await get(`changes?limit=${limit}`)).toEqual({
      status: 400,
      body: { errors: { limit: [problem] }, reason: 'invalid' },
    });
  }
});

test('a system reads a contact of any registrar, as the registrar sees it', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  expect(await get(`contacts/${code.toLowerCase()}`)).toEqual({
    status: 200,
    body: { contact: await repp.read(registrar, code), registrar: registrar.code },
  });
  expect(await get(`contacts/${code}X`)).toEqual({
    status: 404,
    body: { errors: { code: [`there is no contact "${code}X"`] } },
  });
});
