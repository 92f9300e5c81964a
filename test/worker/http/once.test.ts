import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts, idempotencyKeys } from '../../../drizzle/schema.ts';
import { deleteOldOutcomes } from '../../../src/change/outcome.ts';
import { answerOf, refused, registrantClient, registrarClient } from '../../support/client.ts';
import {
  addContact,
  addDomainOf,
  addOwnContact,
  addPerson,
  addRegistrar,
  newContact,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

const creation = { contact: newContact() };

const key = (value: string) => ({ 'Idempotency-Key': value });

it('a request with an Idempotency-Key creates one contact however often it is sent, and gives the same answer', async () => {
  const alpha = await addRegistrar(worker.env);
  const create = () => repp.request(alpha, 'POST', '', creation, key('"k1"'));

  const first = await create();
  const second = await create();

  expect(first.headers.get('Idempotent-Replayed')).toBeNull();
  expect(second.headers.get('Idempotent-Replayed')).toBe('true');
  expect(second.status).toBe(200);
  expect(second.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'));
  expect(await second.text()).toBe(await first.text());
  const rows = await worker.db.select().from(contacts).where(eq(contacts.registrarId, alpha.id));
  expect(rows).toHaveLength(1);
});

it('a request with an Idempotency-Key takes effect once when it is sent twice at the same time', async () => {
  const alpha = await addRegistrar(worker.env);
  const create = () => repp.request(alpha, 'POST', '', creation, key('twin'));

  const answers = await Promise.all(Array.from({ length: 8 }, create));

  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  expect(new Set(bodies).size).toBe(1);
  expect(
    await worker.db.select().from(contacts).where(eq(contacts.registrarId, alpha.id)),
  ).toHaveLength(1);
});

it('a request with the Idempotency-Key of another body or path is refused', async () => {
  const alpha = await addRegistrar(worker.env);
  const [one, two] = [await addContact(worker.env, alpha), await addContact(worker.env, alpha)];
  const update = (code: string, phone: string) =>
    answerOf(repp.request(alpha, 'PUT', `/${code}`, { contact: { phone } }, key('k')));
  await update(one.code, '+372.777');
  const refusal = refused(
    2306,
    'Idempotency key was used with another request',
    null,
    422,
    'Within 24 hours, the key came with another method, path or body. A new request needs a new key.',
  );
  expect(await update(one.code, '+372.888')).toEqual(refusal);
  expect(await update(two.code, '+372.777')).toEqual(refusal);
});

it.each(['+372.000', '+372.111'])(
  'a request with an Idempotency-Key does not repeat an update that others have overwritten since, even if it changed nothing: from %s',
  async (phone) => {
    const { registrar: alpha, contact } = await addOwnContact(worker.env, { phone });
    const update = (phone: string, headers = {}) =>
      repp.request(alpha, 'PUT', `/${contact.code}`, { contact: { phone } }, headers);
    await update('+372.111', key('late'));
    await update('+372.222');

    const repeated = await update('+372.111', key('late'));

    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
    const [row] = await worker.db.select().from(contacts).where(eq(contacts.id, contact.id));
    expect(row?.phone).toBe('+372.222');
  },
);

it('a request with an Idempotency-Key is judged again after a refusal, which keeps nothing', async () => {
  const { registrar: alpha, contact } = await addOwnContact(worker.env);
  const domain = await addDomainOf(worker.env, contact);
  const remove = () => repp.request(alpha, 'DELETE', `/${contact.code}`, undefined, key('r'));
  const refused = await remove();
  await worker.env.DB.prepare('delete from domains where id = ?').bind(domain.id).run();

  const done = await remove();

  expect(refused.status).toBe(400);
  expect(done.status).toBe(200);
});

it.each(['"open', 'x'.repeat(256), 'with"quote'])(
  'a request with the malformed Idempotency-Key %j is refused',
  async (malformed) => {
    const alpha = await addRegistrar(worker.env);

    expect(await answerOf(repp.request(alpha, 'POST', '', creation, key(malformed)))).toMatchObject(
      {
        status: 400,
        body: {
          code: 2005,
          message: 'Idempotency key is invalid [Idempotency-Key]',
          errors: [{ detail: expect.stringContaining('without quotes and backslashes') }],
        },
      },
    );
  },
);

it('an Idempotency-Key belongs to the person, however their code is spelt', async () => {
  const registrar = await addRegistrar(worker.env);
  const ident = { ident: 'XY-1', identCountryCode: 'FI' };
  const { uuid } = await addContact(worker.env, registrar, ident);
  const update = async (code: string) =>
    portal.request(
      await addPerson(worker.env, { countryCode: 'FI', code }),
      'PATCH',
      `/${uuid}`,
      { name: 'Aino Virtanen' },
      key('spelt'),
    );

  expect((await update('XY-1')).headers.get('Idempotent-Replayed')).toBeNull();
  expect((await update('xy1')).headers.get('Idempotent-Replayed')).toBe('true');
});

it('an Idempotency-Key is forgotten by the scheduled run after 24 hours, and not before', async () => {
  const kept = { requestDigest: '0', outcome: 'null' };
  await worker.db.insert(idempotencyKeys).values([
    { caller: 'test', key: 'old', createdAt: '2026-03-01T11:59:59.999Z', ...kept },
    { caller: 'test', key: 'young', createdAt: '2026-03-01T12:00:00.001Z', ...kept },
  ]);

  await deleteOldOutcomes(worker.db, new Date('2026-03-02T12:00:00.000Z'));

  const rows = await worker.db
    .select()
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.caller, 'test'));
  expect(rows.map((row) => row.key)).toEqual(['young']);
});
