import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { history, idempotencyKeys } from '../../drizzle/schema.ts';
import type { Database } from '../../src/base/database/open.ts';
import { takeTurn, waitForTurn } from '../../src/change/turn.ts';
import { updateContact } from '../../src/contact/update.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { saveDomain } from '../../src/name/domain/save.ts';
import { saveRetainedDomain } from '../../src/name/retained/save.ts';
import { Faults } from '../attack/faults.ts';
import {
  addAuction,
  addOwnContact,
  addPerson,
  addRetainedDomain,
  addSystem,
  operator,
  send,
  unique,
} from '../support/fixtures.ts';
import { aroundBatches } from '../support/meanwhile.ts';
import { answerHere, shareWorker } from '../support/worker.ts';

const worker = shareWorker();

const newContact = () => addOwnContact(worker.env);
const run = (query: string, ...values: unknown[]) =>
  worker.env.DB.prepare(query)
    .bind(...values)
    .run();

/** A write by HTTP of each kind, what somebody else does to its row, and the key of the row in the history. */
const kinds: Record<string, () => Promise<[string, RequestInit, () => Promise<unknown>, string]>> =
  {
    async 'a registrar’s update'() {
      const { registrar, contact } = await newContact();
      const init = send('PUT', registrar, { contact: { phone: '+372.1' } }, key());
      return [`/repp/v1/contacts/${contact.code}`, init, () => touch(contact), contact.code];
    },
    async 'a registrar’s deletion'() {
      const { registrar, contact } = await newContact();
      const init = send('DELETE', registrar, undefined, key());
      return [`/repp/v1/contacts/${contact.code}`, init, () => touch(contact), contact.code];
    },
    async 'a registrar’s update that changes nothing'() {
      const { registrar, contact } = await newContact();
      const init = send('PUT', registrar, { contact: { phone: contact.phone } }, key());
      return [`/repp/v1/contacts/${contact.code}`, init, () => touch(contact), contact.code];
    },
    async 'a registrant’s update'() {
      const person = await addPerson(worker.env);
      const identity = { ident: person.code, identCountryCode: person.countryCode };
      const { contact } = await addOwnContact(worker.env, identity);
      const init = send('PATCH', person, { phone: '+372.1' }, key());
      const path = `/api/v1/registrant/contacts/${contact.uuid}`;
      return [path, init, () => touch(contact), contact.code];
    },
    async 'a report about an auction'() {
      const { id, uuid, name } = await addAuction(worker.env);
      const init = send('PATCH', { authorization: '' }, { status: 'payment_received' });
      const touched = () => run('update auctions set version = version + 1 where id = ?', id);
      return [`/api/v1/auctions/${uuid}`, init, touched, name];
    },
    async 'a reservation'() {
      const { name } = await addRetainedDomain(worker.env);
      const init = send('PUT', await addSystem(worker.env, ['retained']), { password: 'uus' });
      const touched = () =>
        run('update retained_domains set password = ? where name = ?', `p${unique()}`, name);
      return [`/api/v1/internal/retained_domains/${name}/reserved`, init, touched, name];
    },
    async 'a domain'() {
      const { init, name, touched } = await newDomain('PUT');
      return [`/api/v1/internal/domains/${name}`, init, touched, name];
    },
    async 'a registration'() {
      const { init, name, touched } = await newDomain('POST');
      return [`/api/v1/internal/names/${name}/registration`, init, touched, name];
    },
  };

const key = () => ({ 'Idempotency-Key': `busy-${unique()}` });

const touch = ({ id }: { id: number }) =>
  run('update contacts set version = version + 1 where id = ?', id);

async function newDomain(method: string) {
  const { registrar, contact } = await newContact();
  const name = `busy${unique()}.ee`;
  const parties = { registrar: registrar.code, registrant: contact.code };
  const domain = { ...parties, admin_contacts: [], tech_contacts: [] };
  const init = send(method, await addSystem(worker.env, ['domains']), { domain });
  const touched = () =>
    run(
      `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, request_id, changes)
       values ('2026-05-06T07:08:09.010Z', 'domain', ?, 'update', 'operator', 'Operator', 'somebody else', '{}')`,
      name,
    );
  return { init, name, touched };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe.each(Object.entries(kinds))('%s whose row somebody else changes each time', (_, plant) => {
  // Without pauses.
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });

  it('is answered 503 with Retry-After in the form of its interface, and nothing is written', async () => {
    const [path, init, touched, subject] = await plant();
    const faults = new Faults(undefined, undefined, async () => void (await touched()));
    const response = await answerHere(path, init, faults.wrap(worker.env));
    const message = 'Too many others are changing this now; nothing has changed, try again later';
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual(
      path.startsWith('/repp')
        ? { code: 2400, message, data: {}, errors: [{ code: 2400, message, field: null }] }
        : { errors: { base: [message] } },
    );
    const written = sql`subject_key = ${subject} and request_id is not 'somebody else'`;
    expect(await worker.db.$count(history, written)).toBe(0);
    const { 'Idempotency-Key': kept = '' } = init.headers as Record<string, string>;
    expect(await worker.db.$count(idempotencyKeys, eq(idempotencyKeys.key, kept))).toBe(0);
  });
});

const newRequest = () => ({ at: new Date(), requestId: crypto.randomUUID() });
const newOrigin = () => ({ actor: operator.actor, request: newRequest() });
const writers = Array.from({ length: 30 }, (_, n) => n + 1);

/** Writes a value of each writer's own to one row; returns how many entries the history of the row has. */
const storms: Record<string, (db: Database) => Promise<number>> = {
  async contact(db) {
    const { registrar, contact } = await newContact();
    const call = () => ({ db, login: registrar.login, request: newRequest() });
    await Promise.all(
      writers.map((n) => updateContact(call(), contact.code, () => ({ phone: `+372.${n}` }))),
    );
    return worker.db.$count(history, eq(history.subjectKey, contact.code));
  },
  async auction(db) {
    const { uuid, name } = await addAuction(worker.env);
    await Promise.all(
      writers.map((n) =>
        updateAuction({ db, origin: newOrigin() }, uuid, { platform: `p${n}` }, []),
      ),
    );
    return worker.db.$count(history, eq(history.subjectKey, name));
  },
  async reservation(db) {
    const { name } = await addRetainedDomain(worker.env);
    await Promise.all(
      writers.map((n) => {
        const reservation = { password: `p${n}` };
        const operation = { db, origin: newOrigin() };
        return saveRetainedDomain(operation, parseDomainName(name), 'reserved', reservation);
      }),
    );
    return worker.db.$count(history, eq(history.subjectKey, name));
  },
  async domain(db) {
    const { registrar } = await newContact();
    const added = await Promise.all(writers.map(() => newContact()));
    const name = parseDomainName(`busy${unique()}.ee`);
    await Promise.all(
      added.map(({ contact }) =>
        saveDomain(
          { db, origin: newOrigin() },
          { ...name, registrar: registrar.code, registrant: contact.code },
        ),
      ),
    );
    return worker.db.$count(history, eq(history.subjectKey, name.name));
  },
};

it.each(Object.entries(storms))(
  'thirty writes to one %s at once all take effect, each once, without a race',
  async (_, write) => {
    let batches = 0;
    const db = aroundBatches(worker.env, (sent) => {
      batches += 1;
      return sent();
    });
    expect(await write(db)).toBe(writers.length);
    // A look that found the row taken, another one, and the write.
    expect(batches).toBeLessThanOrEqual(4 * writers.length);
  },
);

it('a writer whose request has ended holds up the next for a second at most', async () => {
  vi.useFakeTimers();
  takeTurn('contact LOST:1');
  let isTurn = false;
  const turn = waitForTurn('contact LOST:1').then((own) => {
    isTurn = true;
    return own;
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(isTurn).toBe(false);
  await vi.advanceTimersByTimeAsync(300);
  expect(isTurn).toBe(true);
  (await turn).end();
  expect(takeTurn('contact LOST:1')).toBeDefined();
});

it('a writer whose turn has ended takes none from the next', async () => {
  vi.useFakeTimers();
  const late = takeTurn('contact LATE:1')!;
  await vi.advanceTimersByTimeAsync(1_001);
  takeTurn('contact LATE:1');
  late.end();
  expect(takeTurn('contact LATE:1')).toBeUndefined();
});

it('a writer waits for twenty seconds at most', async () => {
  vi.useFakeTimers();
  let turn = takeTurn('contact BUSY:1')!;
  // One turn after the other, with no gap.
  const others = setInterval(() => {
    turn.end();
    turn = takeTurn('contact BUSY:1')!;
  }, 500);
  const refused = expect(waitForTurn('contact BUSY:1')).rejects.toMatchObject({ reason: 'busy' });
  await vi.advanceTimersByTimeAsync(20_300);
  await refused;
  clearInterval(others);
});
