import { expect, test } from 'vitest';
import {
  personalRepresentation,
  registrarRepresentation,
} from '../../src/contact/representation.ts';
import { addContact, addRegistrar } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

test.each([
  ['12345', 12345],
  ['0', 0],
  ['0123', '0123'],
  ['A-7', 'A-7'],
  ['9'.repeat(16), '9'.repeat(16)],
  [null, null],
])('shows the former id %j as %j', async (legacyId, shown) => {
  const registrar = await addRegistrar(worker.env);
  const contact = { ...(await addContact(worker.env, registrar)), legacyId };
  expect(registrarRepresentation(contact).legacy_id).toBe(shown);
  expect(personalRepresentation(contact).legacy_id).toBe(shown);
});
