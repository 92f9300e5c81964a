import { beforeEach, describe, expect, it, test } from 'vitest';
import { deleteAnyContact, updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { answerOf } from '../../support/client.ts';
import {
  addContact,
  addRegistrar,
  newContact,
  pendingRequest,
  send,
  verification,
} from '../../support/fixtures.ts';
import { pdf, sharedIdentityService } from '../../support/identity-service.ts';
import { shareWorker } from '../../support/worker.ts';
import { registrarCalls } from './openapi/operations.ts';

/** Codes that moved in may begin with another registrar's: whose a contact is, the database says. */

const worker = shareWorker();
type Registrar = Awaited<ReturnType<typeof addRegistrar>>;
let alpha: Registrar;
let beta: Registrar;
beforeEach(async () => {
  [alpha, beta] = await Promise.all([addRegistrar(worker.env), addRegistrar(worker.env)]);
});

/** A contact of ALPHA with BETA's prefix, which has been changed. */
async function addForeign() {
  const contact = await addContact(worker.env, alpha, {
    code: `${beta.code}:LIVE`,
    identityVerification: verification({ id: 'first' }),
    identityRequest: pendingRequest(),
  });
  await updateAnyContact(worker.operation, contact.code, { phone: '+372.555' });
  return contact;
}

/** Calls whose answers differ: about an id that a new contact could have, and with a PDF. */
const check = 'GET /repp/v1/contacts/check/{code}';
const proof = 'GET /repp/v1/contacts/download_poi/{code}';
const aboutContact = registrarCalls.filter(
  ({ call }) => call.includes('{code}') && call !== check && call !== proof,
);

function ask(registrar: Registrar, name: string, code: string) {
  const { method, body, pathOf } = registrarCalls.find(({ call }) => call === name)!;
  return answerOf(worker.fetch(pathOf(code, 'first'), send(method, registrar, body)));
}

it.each(aboutContact)(
  '$call finds a contact with another registrar’s prefix for its own registrar alone',
  async ({ call }) => {
    const { code } = await addForeign();
    expect(await ask(beta, call, code)).toMatchObject({ status: 404, body: { code: 2303 } });
    expect(await ask(alpha, call, code)).toMatchObject({ status: 200, body: { code: 1000 } });
  },
);

test('the proof of identity of a contact with another registrar’s prefix is for its own registrar alone', async () => {
  const { code } = await addForeign();
  const path = `/repp/v1/contacts/download_poi/${code}`;
  const statusFor = async (registrar: Registrar) =>
    (await worker.fetch(path, send('GET', registrar))).status;
  const service = await sharedIdentityService();
  await service.failing(/proof_of_identity/, pdf, async () => {
    expect(await statusFor(beta)).toBe(404);
    expect(await statusFor(alpha)).toBe(200);
  });
});

test('whether an id is free does not depend on whose contact has it', async () => {
  const { code } = await addForeign();
  const answer = (id: string, available: boolean) => ({
    body: { data: { contact: { id, available } } },
  });
  expect(await ask(beta, check, code)).toMatchObject(answer(code, false));
  expect(await ask(alpha, check, code)).toMatchObject(answer(`${alpha.code}:${code}`, true));
});

test('nobody creates a contact with the code of another registrar’s', async () => {
  const { code } = await addForeign();
  const create = send('POST', beta, { contact: newContact({ id: code }) });
  const refusal = { status: 400, body: { code: 2302 } };
  expect(await answerOf(worker.fetch('/repp/v1/contacts', create))).toMatchObject(refusal);
});

describe('the history of a deleted contact', () => {
  const history = async (registrar: Registrar, code: string) => {
    const { status, body } = await ask(registrar, 'GET /repp/v1/contacts/{code}/history', code);
    return { status, actions: body.data.history?.map(({ action }: { action: string }) => action) };
  };

  it('is shown to the registrar whose contact it was, whatever the prefix of its code', async () => {
    const { code } = await addForeign();
    await deleteAnyContact(worker.operation, code);
    expect(await history(alpha, code)).toEqual({ status: 200, actions: ['delete', 'update'] });
    expect(await history(beta, code)).toEqual({ status: 404 });
  });

  it('is shown to it also where another registrar’s contact has the code', async () => {
    const { code } = await addForeign();
    await deleteAnyContact(worker.operation, code);
    await addContact(worker.env, beta, { code });
    await ask(beta, 'PUT /repp/v1/contacts/{code}', code);
    expect(await history(alpha, code)).toEqual({ status: 200, actions: ['delete', 'update'] });
    expect(await history(beta, code)).toEqual({ status: 200, actions: ['update'] });
  });
});
