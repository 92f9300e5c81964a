import { beforeEach, describe, expect, it, test } from 'vitest';
import { deleteAnyContact, updateAnyContact } from '../../../src/contact/administer.ts';
import { openApiDocument } from '../../../src/worker/http/document.openapi.ts';
import { answerOf } from '../../support/client.ts';
import {
  addContact,
  addRegistrar,
  newContact,
  operator,
  pendingRequest,
  send,
  verification,
} from '../../support/fixtures.ts';
import { pdf, sharedIdentityService } from '../../support/identity-service.ts';
import { shareWorker } from '../../support/worker.ts';

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
  await updateAnyContact(worker.db, operator, contact.code, { phone: '+372.555' });
  return contact;
}

/** The registrar calls whose path has the code of a contact. */
const calls = Object.entries(openApiDocument().paths ?? {}).flatMap(([path, item]) =>
  /^\/repp\/v1\/contacts\/.*\{/.test(path)
    ? Object.entries(item).map(([method, { requestBody }]) => ({
        call: `${method.toUpperCase()} ${path}`,
        hasBody: requestBody !== undefined,
      }))
    : [],
);

const bodies: Record<string, unknown> = {
  'PUT /repp/v1/contacts/{code}': { contact: { phone: '+372.777' } },
  'POST /repp/v1/contacts/{code}/verifications': {
    verification: { claim: 'email', method: 'email' },
  },
};

/** It takes an id that a new contact could have, and so the code of any. */
const check = 'GET /repp/v1/contacts/check/{code}';

/** It answers with a PDF. */
const proof = 'GET /repp/v1/contacts/download_poi/{code}';

function ask(registrar: Registrar, { call, hasBody }: (typeof calls)[number], code: string) {
  if (hasBody && !(call in bodies)) throw new Error(`say in bodies what ${call} sends`);
  const [method, path] = call.split(' ') as [string, string];
  const sent = send(method, registrar, bodies[call]);
  return answerOf(worker.fetch(path.replace('{code}', code).replace('{id}', 'first'), sent));
}

describe.each(calls.filter(({ call }) => call !== check && call !== proof))('$call', (each) => {
  it('finds a contact with another registrar’s prefix for its own registrar alone', async () => {
    const { code } = await addForeign();
    expect(await ask(beta, each, code)).toMatchObject({ status: 404, body: { code: 2303 } });
    expect(await ask(alpha, each, code)).toMatchObject({ status: 200, body: { code: 1000 } });
  });
});

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
  const each = calls.find(({ call }) => call === check)!;
  const answer = (id: string, available: boolean) => ({
    body: { data: { contact: { id, available } } },
  });
  expect(await ask(beta, each, code)).toMatchObject(answer(code, false));
  expect(await ask(alpha, each, code)).toMatchObject(answer(`${alpha.code}:${code}`, true));
});

test('nobody creates a contact with the code of another registrar’s', async () => {
  const { code } = await addForeign();
  const create = send('POST', beta, { contact: newContact({ id: code }) });
  const refusal = { status: 400, body: { code: 2302 } };
  expect(await answerOf(worker.fetch('/repp/v1/contacts', create))).toMatchObject(refusal);
});

describe('the history of a deleted contact', () => {
  const history = async (registrar: Registrar, code: string) => {
    const { status, body } = await ask(
      registrar,
      { call: 'GET /repp/v1/contacts/{code}/history', hasBody: false },
      code,
    );
    return { status, actions: body.data.history?.map(({ action }: { action: string }) => action) };
  };

  it('is shown to the registrar whose contact it was, whatever the prefix of its code', async () => {
    const { code } = await addForeign();
    await deleteAnyContact(worker.db, operator, code);
    expect(await history(alpha, code)).toEqual({ status: 200, actions: ['delete', 'update'] });
    expect(await history(beta, code)).toEqual({ status: 404 });
  });

  it('is shown to it also where another registrar’s contact has the code', async () => {
    const { code } = await addForeign();
    await deleteAnyContact(worker.db, operator, code);
    await addContact(worker.env, beta, { code });
    await ask(beta, { call: 'PUT /repp/v1/contacts/{code}', hasBody: true }, code);
    expect(await history(alpha, code)).toEqual({ status: 200, actions: ['delete', 'update'] });
    expect(await history(beta, code)).toEqual({ status: 200, actions: ['update'] });
  });
});
