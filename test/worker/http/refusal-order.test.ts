import { expect, test } from 'vitest';
import { answerOf } from '../../support/client.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addDomainOf,
  addOwnContact,
  addPerson,
  addRegistrar,
  addRetainedDomain,
  addSystem,
  basic,
  newContact,
  send,
  unique,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker({ ZONES: 'ee' });

/** What is wrong with a request, or with what it is about: each of its parts is something else that it replaces. */
interface Fault {
  authorization?: string;
  headers?: Record<string, string>;
  /** Of the body's object. */
  fields?: Record<string, unknown>;
  /** Instead of the body. */
  text?: string;
  path?: string;
  /** Of the row that the request is about. */
  row?: Parameters<typeof addContact>[2];
  /** The key has come with another request. */
  isKeyUsed?: true;
  /** A system sends it in the registrar's name. */
  isActing?: true;
  /** What else is on record, by the name or the contact that the request is about. */
  onRecord?: Record<string, (about: About) => Promise<unknown>>;
}

interface About {
  name: string;
  contact: { id: number; registrarId: number };
}

const faults = {
  'no login': { authorization: '' },
  'a wrong secret': { authorization: basic('nobody', 'wrong') },
  'malformed JSON': { text: '{' },
  'a malformed If-Match': { headers: { 'If-Match': 'old' } },
  'a malformed key': { headers: { 'Idempotency-Key': '"' } },
  'a used key': { isKeyUsed: true },
  'an unknown contact': { path: 'NONE:1' },
  'an old version': { headers: { 'If-Match': '"1"' } },
  'an invalid value': { fields: { phone: '5' } },
  'a status that it lacks': { fields: { statuses: ['pendingCreate'] } },
  'another identity': { fields: { ident: { ident: '48703146529' } } },
  'a status against updates': { row: { statuses: ['clientUpdateProhibited'] } },
  'a status against deletions': { row: { statuses: ['clientDeleteProhibited'] } },
  'a domain of the contact': {
    onRecord: { domain: ({ contact }) => addDomainOf(worker.env, contact) },
  },
  'a foreign address': { headers: { 'CF-Connecting-IP': '203.0.113.1' } },
  'a status that no report has': { fields: { status: 'started' } },
  'an unknown auction': { path: 'unknown' },
  'a system that acts for the registrar': { isActing: true },
  'an address that webhooks cannot have': { fields: { url: 'ftp://example.ee' } },
  'a code that is taken': { fields: { id: 'TAKEN' } },
  'a name outside the zones': { path: 'firma.com' },
  'an unknown registrar': { fields: { registrar: 'NONE' } },
  'an unknown registrant': { fields: { registrant: 'NONE:1' } },
  'a registered name': {
    onRecord: {
      domain: async ({ name }) => addDomainOf(worker.env, await addOwnContact(worker.env), name),
    },
  },
  'a blocked name': {
    onRecord: { blocked: ({ name }) => addRetainedDomain(worker.env, { name, status: 'blocked' }) },
  },
  'a disputed name': {
    onRecord: { dispute: ({ name }) => addDispute(worker.env, { name, password: 'won' }) },
  },
  'a name in auction': { onRecord: { auction: ({ name }) => addAuction(worker.env, { name }) } },
  'an unpaid auction': {
    onRecord: {
      auction: ({ name }) => addAuction(worker.env, { name, status: 'awaiting_payment' }),
    },
  },
  'a paid auction': {
    onRecord: {
      auction: ({ name }) =>
        addAuction(worker.env, { name, status: 'payment_received', registrationCode: 'c' }),
    },
  },
  'a reserved name': {
    onRecord: { reserved: ({ name }) => addRetainedDomain(worker.env, { name, password: 'p' }) },
  },
} satisfies Record<string, Fault>;

/** The faults that a write refuses, in the order in which they count, and the answer to each. */
type Order = [fault: keyof typeof faults, answer: string][];

interface Caller {
  authorization: string;
  code?: string;
}

interface Request {
  method: string;
  path: string;
  body?: object;
}

/** A write by this caller that is refused for these faults alone. */
interface Write<By extends Caller> {
  caller: () => Promise<By>;
  request(caller: By, fault: Fault): Promise<Request>;
  order: Order;
}

const byRegistrar = { caller: () => addRegistrar(worker.env) };
type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

const update: Write<Registrar> = {
  ...byRegistrar,
  async request(caller, { row, path, fields }) {
    const { code } = await addContact(worker.env, caller, row);
    const contact = { name: 'Mari Maasikas', ...fields };
    return { method: 'PUT', path: `/repp/v1/contacts/${path ?? code}`, body: { contact } };
  },
  order: [
    ['no login', '401 2202'],
    ['a wrong secret', '401 2202'],
    ['malformed JSON', '400 2001'],
    ['a malformed If-Match', '400 2005 If-Match'],
    ['a malformed key', '400 2005 Idempotency-Key'],
    ['a used key', '422 2306'],
    ['an unknown contact', '404 2303'],
    ['an old version', '412 2304'],
    ['an invalid value', '400 2005 phone'],
    ['a status that it lacks', '400 2306 statuses'],
    ['another identity', '400 2308 ident'],
    ['a status against updates', '400 2304'],
  ],
};

const creation: Write<Registrar> = {
  ...byRegistrar,
  async request(caller, { fields }) {
    if (fields?.id) await addContact(worker.env, caller, { code: `${caller.code}:${fields.id}` });
    return {
      method: 'POST',
      path: '/repp/v1/contacts',
      body: { contact: newContact({ name: `Contact ${unique()}`, ...fields }) },
    };
  },
  order: [
    ['no login', '401 2202'],
    ['a wrong secret', '401 2202'],
    ['malformed JSON', '400 2001'],
    ['an invalid value', '400 2005 phone'],
    ['a malformed key', '400 2005 Idempotency-Key'],
    ['a used key', '422 2306'],
    ['a code that is taken', '400 2302 id'],
  ],
};

const deletion: Write<Registrar> = {
  ...byRegistrar,
  async request(caller, { row, path, onRecord }) {
    const contact = await addContact(worker.env, caller, row);
    await record(onRecord, { name: `name${unique()}.ee`, contact });
    return { method: 'DELETE', path: `/repp/v1/contacts/${path ?? contact.code}` };
  },
  order: [
    ['no login', '401 2202'],
    ['a wrong secret', '401 2202'],
    ['a malformed If-Match', '400 2005 If-Match'],
    ['a malformed key', '400 2005 Idempotency-Key'],
    ['a used key', '422 2306'],
    ['an unknown contact', '404 2303'],
    ['an old version', '412 2304'],
    ['a domain of the contact', '400 2305 domains'],
    ['a status against deletions', '400 2304 statuses'],
  ],
};

const ownUpdate: Write<Awaited<ReturnType<typeof addPerson>>> = {
  caller: () => addPerson(worker.env),
  async request(caller, { row, path, fields }) {
    const registrar = await addRegistrar(worker.env);
    const { countryCode: identCountryCode, code: ident } = caller;
    const { uuid } = await addContact(worker.env, registrar, { ident, identCountryCode, ...row });
    const id = path ? crypto.randomUUID() : uuid;
    const body = { name: 'Mari Maasikas', ...fields };
    return { method: 'PATCH', path: `/api/v1/registrant/contacts/${id}`, body };
  },
  order: [
    ['no login', '401 base'],
    ['malformed JSON', '400 base'],
    ['a malformed If-Match', '400 If-Match'],
    ['a malformed key', '400 Idempotency-Key'],
    ['a used key', '422 base'],
    ['an unknown contact', '404 base'],
    ['an old version', '412 base'],
    ['an invalid value', '400 phone'],
    ['a status against updates', '400 base'],
  ],
};

const bySystem = { caller: () => addSystem(worker.env, ['domains']) };
type System = Awaited<ReturnType<typeof addSystem>>;

async function newDomain({ fields, path, onRecord }: Fault) {
  const registrar = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, registrar);
  const name = `name${unique()}.ee`;
  await record(onRecord, { name, contact });
  const domain = { registrar: registrar.code, registrant: contact.code, ...fields };
  return { name: path ?? name, body: { domain } };
}

const registration: Write<System> = {
  ...bySystem,
  async request(_, fault) {
    const { name, body } = await newDomain(fault);
    return { method: 'POST', path: `/api/v1/internal/names/${name}/registration`, body };
  },
  order: [
    ['no login', '401 base'],
    ['a name outside the zones', '400 name outside_zones'],
    ['malformed JSON', '400 base invalid'],
    ['a registered name', '409 name registered'],
    ['an unknown registrar', '400 registrar unknown_registrar'],
    ['an unknown registrant', '400 registrant unknown_contact'],
    ['a blocked name', '409 name blocked'],
    ['a disputed name', '409 name dispute_password_missing'],
    ['a name in auction', '409 name in_auction'],
    ['an unpaid auction', '409 name awaiting_payment'],
    ['a paid auction', '409 registration_code code_missing'],
    ['a reserved name', '409 password password_missing'],
  ],
};

const recording: Write<System> = {
  ...bySystem,
  async request(_, fault) {
    const { name, body } = await newDomain(fault);
    return { method: 'PUT', path: `/api/v1/internal/domains/${name}`, body };
  },
  order: [
    ['no login', '401 base'],
    ['malformed JSON', '400 base invalid'],
    ['an old version', '412 base'],
    ['an unknown registrar', '400 registrar unknown_registrar'],
    ['an unknown registrant', '400 registrant unknown_contact'],
  ],
};

const start: Write<System> = {
  caller: () => addSystem(worker.env, ['auctions']),
  async request(_, fault) {
    const { name } = await newDomain(fault);
    const body = { auction: { domain: name } };
    return { method: 'POST', path: '/api/v1/internal/auctions', body };
  },
  order: [
    ['no login', '401 base'],
    ['malformed JSON', '400 base invalid'],
    ['a name outside the zones', '400 domain outside_zones'],
    ['a malformed key', '400 Idempotency-Key invalid'],
    ['a used key', '422 base'],
    ['a registered name', '409 domain registered'],
    ['a blocked name', '409 domain blocked'],
    ['a reserved name', '409 domain reserved'],
    ['an unpaid auction', '409 domain awaiting_payment'],
    ['a paid auction', '409 domain paid'],
    ['a disputed name', '409 domain disputed'],
  ],
};

const report: Write<Caller> = {
  caller: async () => ({ authorization: '' }),
  async request(_, { path, fields }) {
    const { uuid } = await addAuction(worker.env);
    const body = { status: 'no_bids', ...fields };
    return { method: 'PATCH', path: `/api/v1/auctions/${path ?? uuid}`, body };
  },
  order: [
    ['a foreign address', '401 base'],
    ['malformed JSON', '400 base'],
    ['a status that no report has', '400 status'],
    ['an unknown auction', '404'],
  ],
};

const webhook: Write<Registrar> = {
  ...byRegistrar,
  async request(_, { fields }) {
    const body = { webhook: { url: 'https://example.ee/hook', ...fields } };
    return { method: 'PUT', path: '/repp/v1/registrar/webhook', body };
  },
  order: [
    ['no login', '401 2202'],
    ['a wrong secret', '401 2202'],
    ['malformed JSON', '400 2001'],
    ['an address that webhooks cannot have', '400 2005 webhook.url'],
    ['a system that acts for the registrar', '400 2304'],
  ],
};

const secret: Write<Registrar> = {
  ...byRegistrar,
  request: async () => ({ method: 'POST', path: '/repp/v1/registrar/api_user/secret' }),
  order: [
    ['no login', '401 2202'],
    ['a wrong secret', '401 2202'],
    ['a system that acts for the registrar', '400 2304'],
  ],
};

test.each([
  ['PUT of a contact by its registrar', update],
  ['PATCH of a contact by its person', ownUpdate],
  ['POST of a contact', creation],
  ['DELETE of a contact', deletion],
  ['POST of a registration', registration],
  ['PUT of a domain', recording],
  ['POST of an auction', start],
  ['PATCH of an auction', report],
  ['PUT of a webhook', webhook],
  ['POST of a secret', secret],
] as [string, Write<Caller>][])(
  'of two faults in a %s, the first in this order is answered',
  async (_, write) => {
    const answers: string[] = [];
    const expected: string[] = [];
    for (const [at, [first, answer]] of write.order.entries()) {
      for (const [second] of write.order.slice(at)) {
        const fault = both(faults[first], faults[second]);
        if (!fault) continue;
        answers.push(`${first}, ${second}: ${await answerTo(write, fault)}`);
        expected.push(`${first}, ${second}: ${answer}`);
      }
    }
    expect(answers).toEqual(expected);
  },
);

/** Undefined where one leaves no room for the other, such as for a value in malformed JSON. */
function both(one: Fault, other: Fault): Fault | undefined {
  if (one === other) return one;
  const merged: Fault = { ...one };
  for (const [part, value] of Object.entries(other) as [keyof Fault, object][]) {
    const present = one[part] as object | undefined;
    if (present === undefined) Object.assign(merged, { [part]: value });
    else if (typeof present !== 'object') return undefined;
    else if (Object.keys(value).some((key) => key in present)) return undefined;
    else Object.assign(merged, { [part]: { ...present, ...value } });
  }
  const { text, fields, isKeyUsed, headers, isActing, authorization } = merged;
  const isFull =
    (text && fields) ||
    (isKeyUsed && headers?.['Idempotency-Key']) ||
    (isActing && authorization !== undefined);
  return isFull ? undefined : merged;
}

async function record(onRecord: Fault['onRecord'], about: About) {
  for (const add of Object.values(onRecord ?? {})) await add(about);
}

/** The status, the code of REPP, and the field of the first problem or the reason. */
async function answerTo(write: Write<Caller>, fault: Fault): Promise<string> {
  const caller = await write.caller();
  const key = fault.isKeyUsed && { 'Idempotency-Key': 'used' };
  const acting = fault.isActing && {
    ...(await addSystem(worker.env, ['act-for'])),
    headers: { 'Acting-For': caller.code ?? '' },
  };
  const submit = async (caused: Fault) => {
    const { method, path, body } = await write.request(caller, caused);
    const { authorization } = { ...caller, ...acting, ...caused };
    const headers = { ...key, ...acting?.headers, ...caused.headers };
    return answerOf(
      worker.fetch(path, send(method, { authorization }, caused.text ?? body, headers)),
    );
  };
  if (key) await submit({});
  const { status, body } = await submit(fault);
  const { code, errors = {}, reason } = body;
  const field = Array.isArray(errors) ? errors[0].field : Object.keys(errors)[0];
  return [status, code, field, reason].filter((part) => part != null).join(' ');
}
