import { expect, test } from 'vitest';
import { registrantClient } from '../../../support/client.ts';
import { addContact, addPerson, addRegistrar } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker({ REGISTRANT_LIST_FORM: 'array' });
const { request, read } = registrantClient(worker);

test('answers with the bare array that the live portal pages through', async () => {
  const person = await addPerson(worker.env);
  const registrar = await addRegistrar(worker.env);
  const contacts = [];
  for (let n = 0; n < 3; n++) {
    contacts.push(await addContact(worker.env, registrar, { ident: person.code }));
  }
  const { body: last } = await read(person, contacts[2]?.uuid as string);
  const { disclosed_attributes: _, ...listed } = last;

  const response = await request(person, 'GET', '?limit=2&offset=2');

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual([listed]);
});

test('answers an error, and a person without contacts, as ever', async () => {
  const person = await addPerson(worker.env);
  expect(await (await request(person, 'GET')).json()).toEqual([]);
  expect(await (await request(person, 'GET', '?limit=0')).json()).toEqual({
    errors: { limit: ['parameter is out of range'] },
  });
});
