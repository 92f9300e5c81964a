import type { ServerResponse } from 'node:http';
import { asc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { type contacts, disputes, history, notifications } from '../../../../drizzle/schema.ts';
import { getContactByCode } from '../../../../src/contact/contact.ts';
import { updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import {
  decideVerification,
  takeIdentification,
} from '../../../../src/contact/verification/identity-request.ts';
import { callbackOf } from '../../../../src/dev/sandbox/identity-service.ts';
import { settings } from '../../../../src/worker/settings.ts';
import { answerOf, completed, missing, refused, registrarClient } from '../../../support/client.ts';
import {
  addDispute,
  addDomainOf,
  addOwnContact,
  type addRegistrar,
  pendingRequest,
  send,
  verification,
} from '../../../support/fixtures.ts';
import {
  type IdentityServiceStandIn,
  pdf,
  sharedIdentityService,
} from '../../../support/identity-service.ts';
import { beforeBatch } from '../../../support/meanwhile.ts';
import { answerHere, shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const callbackPath = '/eeid/webhooks/identification_requests';

type Registrar = Awaited<ReturnType<typeof addRegistrar>>;
interface One {
  registrar: Registrar;
  code: string;
}

let service: IdentityServiceStandIn;
beforeAll(async () => {
  service = await sharedIdentityService();
});

async function aContact(values: Partial<typeof contacts.$inferInsert> = {}): Promise<One> {
  const { registrar, code } = await addOwnContact(worker.env, values);
  return { registrar, code };
}

const born = {
  identType: 'birthday',
  ident: '1980-01-02',
  name: 'Ann Õun',
  identCountryCode: 'LV',
} as const;

const post = ({ registrar, code }: One, call: string, headers?: Record<string, string>) =>
  answerOf(repp.request(registrar, 'POST', `/${call}/${code}`, undefined, headers));
const verify = (one: One, headers?: Record<string, string>) => post(one, 'verify', headers);
const approve = (one: One) => post(one, 'approve_verification');
const reject = (one: One) => post(one, 'reject_verification');

async function linkFor(one: One): Promise<string> {
  const { body } = await verify(one);
  return body.data.contact.link;
}

const idIn = (link: string) => link.split('/').at(-1)!;

/** The person does what the link is for. */
const identify = async (link: string, query = '') =>
  (await fetch(link + query, { method: 'POST' })).json();

/** The service's call about a request for the contact, signed. */
const callAbout = ({ code }: One, link: string, client_id = 'sandbox-priv') =>
  callbackOf({ id: idIn(link), client_id, reference: code });

const callBack = (call: RequestInit) => answerOf(worker.fetch(callbackPath, call));

const taken = { status: 200, body: { status: 'success' } };
const serviceFailed = refused(2400, 'The identity service has failed; try again later', null, 502);

const read = ({ registrar, code }: One) => repp.read(registrar, code);

async function identityOf(one: One) {
  const { verifications } = (await read(one)) as { verifications: { claim: string }[] };
  return verifications.find(({ claim }) => claim === 'identity');
}

/** The registrar's notifications. */
const toldTo = ({ registrar }: One) =>
  worker.db
    .select({ event: notifications.event, text: notifications.text, fields: notifications.fields })
    .from(notifications)
    .where(eq(notifications.registrarId, registrar.id));

/** Everything that a call may have changed. */
const stateOf = async (one: One) => [await read(one), await toldTo(one)];

describe('a person who is who the contact says', () => {
  it('is verified by the service’s call, and the registrar is notified', async () => {
    const one = await aContact({ verificationDemand: { claims: ['identity'], by: '2027-01-31' } });
    const { code } = one;
    const { status, body } = await verify(one);
    const { link } = body.data.contact;
    expect({ status, body }).toEqual(completed({ contact: { id: code, code, link } }));
    const sent = await read(one);
    expect(sent).toMatchObject({ verified_at: null, verification_id: idIn(link) });
    expect(sent.ident_request_sent_at).toEqual(expect.any(String));

    expect(await identify(link)).toEqual({ callback: 200 });
    const { verified_at, verification_pending_at, verification_demand } = await read(one);
    expect([verification_pending_at, verification_demand]).toEqual([null, null]);
    expect(await identityOf(one)).toMatchObject({
      ...{ method: 'eid', framework: null, reference: idIn(link), result: 'success' },
      ...{ verified_at, verified_by: 'Identity service' },
    });
    expect(await toldTo(one)).toEqual([
      {
        event: 'contact.verified',
        text: `Contact ${code} has been verified`,
        fields: ['identity_verification', 'identity_request'],
      },
    ]);
  });

  it('is verified in the history by the service', async () => {
    const one = await aContact();
    await identify(await linkFor(one));
    const entries = await worker.db
      .select()
      .from(history)
      .where(eq(history.subjectKey, one.code))
      .orderBy(asc(history.id));
    expect(entries.map(({ actorType, actor }) => [actorType, actor])).toEqual([
      ['api_user', expect.stringContaining('ApiUser')],
      ['identity_service', 'Identity service'],
    ]);
    expect(entries[1]!.changes.identityRequest).toEqual({ redacted: true });
  });

  it.each(['LV010180-12345', 'LV01018012345'])(
    'is verified however the code is spelled: %s',
    async (sub) => {
      const one = await aContact({ identCountryCode: 'LV', ident: '010180-12345' });
      await identifyAs(one, { sub });
      expect(await identityOf(one)).toMatchObject({ result: 'success' });
    },
  );

  it('is verified by birthday, country and name', async () => {
    const one = await aContact(born);
    expect(await identify(await linkFor(one))).toEqual({ callback: 200 });
    expect(await identityOf(one)).toMatchObject({ result: 'success' });
  });
});

/** The service answers a call with this. */
const shows =
  (body: object | string, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

test.each([
  ['priv', { identCountryCode: 'LV', ident: '010180-12345' }, [['sub', 'LV010180-12345']]],
  [
    'birthday',
    born,
    [
      ['birthdate', '1980-01-02'],
      ['name', 'Ann Õun'],
      ['country', 'LV'],
    ],
  ],
])(
  'of a contact of the type %s, the service is asked for its claims',
  async (_, values, claims) => {
    const one = await aContact(values);
    const url = (await linkFor(one)).replace(
      '/identify/',
      '/api/ident/v1/identification_requests/',
    );
    const asked = await fetch(url, { headers: { Authorization: 'Bearer sandbox-token.any' } });
    expect(await asked.json()).toMatchObject({
      claims_required: claims.map(([type, value]) => ({ type, value })),
      reference: one.code,
    });
  },
);

/** The service says that it has identified somebody with these claims. */
async function identifyAs(one: One, result: object, client?: string) {
  const link = await linkFor(one);
  const found = { id: idIn(link), link, status: 'completed', result };
  return service.failing(/GET .*requests/, shows(found), () =>
    callBack(callAbout(one, link, client)),
  );
}

const nameless = { identType: 'birthday', ident: '1980-01-02', name: 'Ann' } as const;

describe('a contact that moved in without an identity', () => {
  it.each([
    ['a code', { ident: '', identCountryCode: '' }, { sub: 'X-1' }],
    ['a birthday', { ...nameless, ident: '' }, { name: 'Ann', country: 'EE', id_number: '1' }],
    [
      'a country',
      { ...nameless, identCountryCode: '' },
      { name: 'Ann', birthdate: nameless.ident },
    ],
  ])('is not verified where neither it nor the service has %s', async (_, values, result) => {
    const one = await aContact(values);
    const client = 'identType' in values ? 'sandbox-birthday' : undefined;
    expect(await identifyAs(one, result, client)).toEqual(taken);
    expect(await read(one)).toMatchObject({
      ...{ verified_at: null, verification_pending_at: expect.any(String) },
    });
  });
});

it('a person by birthday is not verified under a name with other accents', async () => {
  const one = await aContact(born);
  const result = { name: 'Ann Oun', country: 'LV', birthdate: born.ident };
  expect(await identifyAs(one, result, 'sandbox-birthday')).toEqual(taken);
  expect(await read(one)).toMatchObject({
    ...{ verified_at: null, verification_pending: { name: 'Ann Oun' } },
  });
});

describe('a person who is somebody else', () => {
  async function mismatch(values?: Parameters<typeof aContact>[0]): Promise<One> {
    const one = await aContact(values);
    const link = await linkFor(one);
    expect(await identify(link, '?outcome=mismatch')).toEqual({ callback: 200 });
    return one;
  }

  it('waits for the registrar’s decision, and the registrar is notified', async () => {
    const one = await mismatch();
    const { verified_at, verification_pending_at, verification_pending } = await read(one);
    expect([verified_at, verification_pending_at]).toEqual([null, expect.any(String)]);
    const established = { country_code: 'EE', ident: '60001019906', name: null, birthdate: null };
    expect(verification_pending).toEqual(established);
    expect(await toldTo(one)).toEqual([
      {
        event: 'contact.verification_pending',
        text: `Contact ${one.code} waits for your decision on its verification`,
        fields: ['identity_request'],
      },
    ]);
  });

  it('is named in no history', async () => {
    const one = await mismatch();
    const { body } = await answerOf(repp.request(one.registrar, 'GET', `/${one.code}/history`));
    expect(JSON.stringify(body)).not.toContain('60001019906');
  });

  it('becomes the contact’s person when the registrar approves', async () => {
    const one = await mismatch({ nameVerification: verification() });
    const { code } = one;
    expect(await approve(one)).toEqual(completed({ contact: { id: code, code } }));
    const contact = await read(one);
    expect(contact).toMatchObject({ ident: '60001019906', ident_country_code: 'EE' });
    expect(contact).toMatchObject({ verification_pending_at: null, verification_pending: null });
    expect(contact.verified_at).toEqual(expect.any(String));
    expect(await identityOf(one)).toMatchObject({
      ...{ method: 'eid', reference: contact.verification_id },
      verified_by: expect.stringContaining('ApiUser'),
    });
    expect(contact.verifications).toHaveLength(2);
  });

  it('gives a contact that is known by a birthday the name as well', async () => {
    const one = await mismatch({ ...born, nameVerification: verification() });
    expect((await read(one)).verification_pending).toEqual({
      ...{ country_code: 'EE', ident: null, name: 'Mary Änn', birthdate: '2000-01-01' },
    });
    await approve(one);
    const { ident, ident_country_code, name, verifications } = await read(one);
    expect([ident, ident_country_code, name]).toEqual(['2000-01-01', 'EE', 'Mary Änn']);
    expect(verifications).toMatchObject([{ claim: 'identity' }]);
  });

  it('is approved whatever name a contact with a code has', async () => {
    const one = await mismatch({ name: 'M'.repeat(256) });
    expect((await approve(one)).status).toBe(200);
    expect(await read(one)).toMatchObject({ ident: '60001019906', name: 'M'.repeat(256) });
  });

  it('leaves the contact as it was when the registrar rejects', async () => {
    const one = await mismatch();
    const { ident } = await read(one);
    const { code } = one;
    expect(await reject(one)).toEqual(completed({ contact: { id: code, code } }));
    expect(await read(one)).toMatchObject({
      ...{ ident, verified_at: null, verifications: [], verification_pending_at: null },
      ...{ verification_id: null, ident_request_sent_at: null },
    });
  });

  it('is not approved against a status, and can be rejected', async () => {
    const one = await mismatch({ statuses: ['serverUpdateProhibited'] });
    const detail = 'The contact has the status serverUpdateProhibited.';
    expect(await approve(one)).toEqual(
      refused(2304, 'Object status prohibits operation', null, 400, detail),
    );
    expect((await reject(one)).status).toBe(200);
  });

  it('is not approved while the contact holds a disputed domain', async () => {
    for (const one of [await mismatch(), await mismatch(born)]) {
      const contact = await getContactByCode(worker.db, one.code);
      const { name } = await addDomainOf(worker.env, contact);
      await addDispute(worker.env, { name });
      const before = await stateOf(one);
      const detail = `The service has established another person, and a dispute is in force over "${name}", which the contact holds.`;
      expect(await approve(one)).toEqual(
        refused(2304, 'Verification cannot be approved', null, 400, detail),
      );
      expect(await stateOf(one)).toEqual(before);
      await worker.db
        .update(disputes)
        .set({ closedAt: '2026-01-01' })
        .where(eq(disputes.name, name));
      expect((await approve(one)).status).toBe(200);
    }
  });

  it('is not approved if a dispute over its domain is opened at that moment', async () => {
    const one = await mismatch();
    const { name } = await addDomainOf(worker.env, await getContactByCode(worker.db, one.code));
    const before = await stateOf(one);
    const db = beforeBatch(worker.env, 2, () => addDispute(worker.env, { name }));
    const request = { at: new Date(), requestId: crypto.randomUUID() };
    const call = { db, login: one.registrar.login, request };
    await expect(decideVerification(call, one.code, 'approve')).rejects.toMatchObject({
      reason: 'update_prohibited',
      problems: [{ detail: expect.stringContaining(`a dispute is in force over "${name}"`) }],
    });
    expect(await stateOf(one)).toEqual(before);
  });

  it('is not approved without an identity that a contact can have', async () => {
    const one = await aContact();
    expect(await identifyAs(one, { sub: { toString: 17 } })).toEqual(taken);
    const detail =
      'The service has established no identity that the contact can have: Ident code is invalid.';
    expect(await approve(one)).toEqual(
      refused(2304, 'Verification cannot be approved', null, 400, detail),
    );
    expect((await reject(one)).status).toBe(200);
  });

  it('is not approved under a name that no contact may get, which is named', async () => {
    const one = await aContact(born);
    const result = { name: 'Ann \u202eÕun', country: 'LV', birthdate: born.ident };
    await identifyAs(one, result, 'sandbox-birthday');
    const detail =
      'The service has established no identity that the contact can have: Name is invalid: contains an invisible character (U+202E).';
    expect(await approve(one)).toEqual(
      refused(2304, 'Verification cannot be approved', null, 400, detail),
    );
  });

  it('gives the name in the form in which names are stored', async () => {
    const one = await aContact(born);
    const name = ' Ann  O\u0303un-Tamm ';
    await identifyAs(one, { name, country: 'LV', birthdate: born.ident }, 'sandbox-birthday');
    await approve(one);
    expect(await read(one)).toMatchObject({ name: 'Ann Õun-Tamm' });
  });

  it('is not approved by a birthday if there is a code', async () => {
    const one = await aContact(born);
    const { ident: birthdate, name, identCountryCode: country } = born;
    const result = { birthdate, name, country, id_number: '010180-12345' };
    await identifyAs(one, result, 'sandbox-birthday');
    expect(await read(one)).toMatchObject({ verified_at: null });
    expect(await approve(one)).toMatchObject({ status: 400, body: { code: 2304 } });
  });

  it('is decided about once', async () => {
    const one = await mismatch();
    await approve(one);
    const nothing = refused(2304, 'No pending verification to approve or reject', null);
    expect(await approve(one)).toEqual(nothing);
    expect(await reject(one)).toEqual(nothing);
  });
});

describe('asked again', () => {
  it('the result of the open request is taken, if the service has not called', async () => {
    const one = await aContact();
    await identify(await linkFor(one), '?callback=no');
    const { body } = await verify(one);
    expect(body.data.contact.link).toBeNull();
    expect(await identityOf(one)).toMatchObject({ verified_by: 'Identity service' });
    expect(await toldTo(one)).toEqual([]);
  });

  it('the link of the open request is given again, and nothing changes', async () => {
    const one = await aContact();
    const link = await linkFor(one);
    const before = await stateOf(one);
    expect(await linkFor(one)).toBe(link);
    expect(await stateOf(one)).toEqual(before);
  });

  it('an expired request is replaced', async () => {
    const one = await aContact();
    const link = await linkFor(one);
    await identify(link, '?outcome=expired');
    expect(await linkFor(one)).not.toBe(link);
  });

  it('a request that moved in, and that the service does not know, is replaced', async () => {
    const one = await aContact({
      identityRequest: { id: '../õ?#', sent_at: '2026-01-02T03:04:05.678Z', pending: null },
    });
    expect(await linkFor(one)).toContain('/identify/');
  });

  it('a new request replaces a pending decision', async () => {
    const one = await aContact();
    await identify(await linkFor(one), '?outcome=mismatch');
    expect(await linkFor(one)).toContain('/identify/');
    expect(await read(one)).toMatchObject({ verification_pending_at: null });
  });

  it('a new request replaces a verification', async () => {
    const one = await aContact({ identityVerification: verification() });
    await linkFor(one);
    expect(await read(one)).toMatchObject({ verified_at: null, verifications: [] });
  });

  it('with the same idempotency key, the service is not asked again', async () => {
    const one = await aContact();
    const key = { 'Idempotency-Key': 'once' };
    const first = await verify(one, key);
    const calls = await service.askedDuring(async () => {
      expect(await verify(one, key)).toEqual(first);
    });
    expect(calls).toEqual([]);
  });
});

describe('a call about a request', () => {
  it.each([
    ['with another secret’s signature', { 'X-HMAC-Signature': '0'.repeat(64) }],
    ['with a part of the signature', { 'X-HMAC-Signature': 'ab' }],
    ['without a signature', { 'X-HMAC-Signature': '' }],
    ['from a foreign address', { 'CF-Connecting-IP': '203.0.113.9' }],
  ])('%s is refused, and the service is not asked', async (_, headers) => {
    const one = await aContact();
    const link = await linkFor(one);
    await identify(link, '?callback=no');
    const before = await stateOf(one);
    const call = callAbout(one, link);
    const calls = await service.askedDuring(async () => {
      const { status } = await callBack({ ...call, headers: { ...call.headers, ...headers } });
      expect(status).toBe(401);
    });
    expect(calls).toEqual([]);
    expect(await stateOf(one)).toEqual(before);
  });

  it('is refused if another client’s secret has signed it', async () => {
    const one = await aContact();
    const { body, ...call } = callAbout(one, await linkFor(one));
    const forged = body.replace('sandbox-priv', 'sandbox-birthday');
    expect(await callBack({ ...call, body: forged })).toMatchObject({ status: 401 });
    const unknown = body.replace('sandbox-priv', 'nobody');
    expect(await callBack({ ...call, body: unknown })).toMatchObject({ status: 401 });
  });

  it('may have white space, which is not signed', async () => {
    const one = await aContact();
    const link = await linkFor(one);
    await identify(link, '?callback=no');
    const { body, ...call } = callAbout(one, link);
    const spaced = JSON.stringify(JSON.parse(body), null, '\t').replaceAll('\n', '\r\n ');
    expect(await callBack({ ...call, body: spaced })).toEqual(taken);
    expect(await identityOf(one)).toBeDefined();
  });

  it('is refused if it is about nobody', async () => {
    const one = { ...(await aContact()), code: 'NOBODY:1' };
    expect(await callBack(callAbout(one, 'any'))).toMatchObject({ status: 404 });
    const { reference, ...others } = JSON.parse(callAbout(one, 'any').body);
    expect(reference).toBe('NOBODY:1');
    for (const reference of [undefined, null]) {
      const nobody = callbackOf({ ...others, id: 'any', reference });
      expect(await callBack(nobody)).toMatchObject({ status: 404 });
    }
  });

  const mismatched = (link: string) => identify(link, '?outcome=mismatch');
  const preparations: [when: string, prepare: (one: One, link: string) => Promise<unknown>][] = [
    ['before the request is completed', async () => {}],
    ['the second time', (_, link) => identify(link)],
    [
      'once the registrar has approved the result',
      async (one, link) => {
        await mismatched(link);
        await approve(one);
      },
    ],
    [
      'once the registrar has rejected the result',
      async (one, link) => {
        await mismatched(link);
        await reject(one);
      },
    ],
    [
      'if there is a newer request',
      async (one, link) => {
        await mismatched(link);
        await linkFor(one);
      },
    ],
  ];

  it.each(preparations)('changes nothing %s', async (_, prepare) => {
    const one = await aContact();
    const link = await linkFor(one);
    await prepare(one, link);
    const before = await stateOf(one);
    for (const about of [link, 'unknown']) {
      expect(await callBack(callAbout(one, about))).toEqual(taken);
      expect(await stateOf(one)).toEqual(before);
    }
  });

  it('changes nothing once the verification was withdrawn', async () => {
    const one = await aContact();
    const link = await linkFor(one);
    await identify(link);
    const { id } = (await identityOf(one)) as unknown as { id: string };
    await repp.request(one.registrar, 'DELETE', `/${one.code}/verifications/${id}`);
    await callBack(callAbout(one, link));
    expect(await identityOf(one)).toBeUndefined();
  });

  it('is refused where the registry has no identity service', async () => {
    const { registrar, code } = await aContact();
    const env = { ...worker.env, IDENTITY_SERVICE_URL: '', IDENTITY_SERVICE_CLIENTS: '' };
    const request = (path: string, init: RequestInit) => answerOf(answerHere(path, init, env));
    const path = `/repp/v1/contacts/verify/${code}`;
    const answer = await request(path, send('POST', registrar));
    expect(answer).toEqual(refused(2101, 'There is no identity service', null));
    const call = callAbout({ registrar, code }, 'any');
    expect(await request(callbackPath, call)).toMatchObject({ status: 401 });
  });
});

describe('while the result is taken', () => {
  async function takenWhile(one: One, work: () => Promise<unknown>) {
    const { identityRequest } = await getContactByCode(worker.db, one.code);
    const [client] = settings(worker.env).identityClients;
    const request = { at: new Date(), requestId: crypto.randomUUID() };
    await takeIdentification(
      beforeBatch(worker.env, 1, work),
      client!,
      { code: one.code, id: identityRequest!.id },
      request,
    );
  }

  it('a change of the identity ends what was asked about it', async () => {
    const one = await aContact();
    await identify(await linkFor(one), '?callback=no');
    await takenWhile(one, () =>
      updateAnyContact(worker.operation, one.code, { ident: '47101010033' }),
    );
    expect(await read(one)).toMatchObject({
      ...{ ident: '47101010033', verified_at: null },
      ...{ verification_id: null, verification_pending_at: null },
    });
  });
});

describe('a service that fails', () => {
  const html = '<!doctype html><title>Maintenance</title>';
  const sound = { access_token: 'a', id: 'a', link: 'https://id.example/a', status: 'pending' };
  const faults: [string, (response: ServerResponse) => void][] = [
    ['breaks the connection', (response) => response.destroy()],
    ['answers 500', shows({ error: 'An error occurred' }, 500)],
    ['answers a page', shows(html)],
    ['answers null', shows('null')],
    ['answers an id that is a path', shows({ ...sound, id: '../a' })],
    ['answers a link that is a script', shows({ ...sound, link: 'javascript:alert(1)' })],
    ['answers more than it has to say', shows({ ...sound, result: { x: 'x'.repeat(70_000) } })],
    [
      'redirects',
      (response) => response.writeHead(307, { Location: 'https://example.com/' }).end(),
    ],
  ];

  it.each(faults)('leaves everything as it was if it %s', async (_, fault) => {
    const one = await aContact();
    const before = await stateOf(one);
    for (const call of [/token/, /POST .*requests/]) {
      expect(await service.failing(call, fault, () => verify(one))).toEqual(serviceFailed);
    }
    expect(await stateOf(one)).toEqual(before);

    const link = await linkFor(one);
    await identify(link, '?callback=no');
    const open = await stateOf(one);
    for (const call of [/token/, /GET .*requests/]) {
      const calledBack = () => callBack(callAbout(one, link));
      expect(await service.failing(call, fault, () => verify(one))).toEqual(serviceFailed);
      expect(await service.failing(call, fault, calledBack)).toMatchObject({ status: 502 });
    }
    expect(await stateOf(one)).toEqual(open);
    await verify(one);
    expect(await identityOf(one)).toBeDefined();
  });
});

describe('the proof of identity', () => {
  const download = ({ registrar, code }: One) =>
    repp.request(registrar, 'GET', `/download_poi/${code}`);

  it('is the service’s PDF', async () => {
    const one = await aContact();
    const link = await linkFor(one);
    await identify(link);
    const answer = await download(one);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="proof_of_identity_${idIn(link)}.pdf"`,
      'cache-control': 'private, no-store',
    });
    expect(await answer.text()).toMatch(/^%PDF-/);
  });

  it('is missing before the person is identified', async () => {
    const one = await aContact();
    expect(await answerOf(download(one))).toEqual(missing);
    await linkFor(one);
    expect(await answerOf(download(one))).toEqual(missing);
  });

  it('of a request that moved in has its id in its name', async () => {
    const id = '"ā"\r\n';
    const one = await aContact({ identityRequest: { ...pendingRequest(), id } });
    const answer = await service.failing(/proof/, pdf, () => download(one));
    expect(answer.headers.get('Content-Disposition')).toBe(
      'inline; filename="proof_of_identity_%22%C4%81%22%0D%0A.pdf"',
    );
  });

  it('that is not a PDF is a failure, which decides nothing', async () => {
    const one = await aContact();
    await identify(await linkFor(one));
    const failing = service.failing(/proof/, shows('{"status":"completed"}'), async () =>
      answerOf(download(one)),
    );
    expect(await failing).toEqual(serviceFailed);
    expect(await identityOf(one)).toBeDefined();
  });
});

test('an organisation cannot be identified', async () => {
  const one = await aContact({ identType: 'org', ident: '12345678' });
  const detail = 'Only people can be identified: contacts of the types priv and birthday.';
  expect(await verify(one)).toEqual(
    refused(2005, 'Ident type is invalid [ident_type]', 'ident_type', 400, detail),
  );
});

test('a version that the registrar does not expect is not asked about', async () => {
  const one = await aContact();
  const calls = await service.askedDuring(async () => {
    expect(await verify(one, { 'If-Match': '"another"' })).toMatchObject({ status: 412 });
  });
  expect(calls).toEqual([]);
});
