import { and, eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts, history, idempotencyKeys } from '../../../drizzle/schema.ts';
import { deleteOldOutcomes } from '../../../src/change/outcome.ts';
import {
  answerOf,
  completed,
  refused,
  registrantClient,
  registrarClient,
} from '../../support/client.ts';
import {
  addContact,
  addDomainOf,
  addPerson,
  addRegistrar,
  bearer,
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

it('a request with the Idempotency-Key of another body is refused', async () => {
  const alpha = await addRegistrar(worker.env);
  await repp.request(alpha, 'POST', '', creation, key('k'));

  expect(
    await answerOf(
      repp.request(alpha, 'POST', '', { contact: newContact({ name: 'Other' }) }, key('k')),
    ),
  ).toEqual(refused(2306, 'Idempotency key was used with another request', null, 422));
});

it('a request with the Idempotency-Key of another path is refused', async () => {
  const alpha = await addRegistrar(worker.env);
  const one = await addContact(worker.env, alpha);
  const two = await addContact(worker.env, alpha);
  const body = { contact: { phone: '+372.777' } };
  await repp.request(alpha, 'PUT', `/${one.code}`, body, key('path'));

  const other = await repp.request(alpha, 'PUT', `/${two.code}`, body, key('path'));

  expect(other.status).toBe(422);
});

it('one Idempotency-Key may be used by two registrars for two requests', async () => {
  const alpha = await addRegistrar(worker.env);
  const beta = await addRegistrar(worker.env);
  await repp.request(alpha, 'POST', '', creation, key('s'));

  const others = await repp.request(
    beta,
    'POST',
    '',
    { contact: newContact({ name: 'Other' }) },
    key('s'),
  );

  expect(others.status).toBe(200);
});

it('a request with an Idempotency-Key does not repeat an update that others have overwritten since', async () => {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha);
  const path = `/${contact.code}`;
  const update = (phone: string, headers = {}) =>
    repp.request(alpha, 'PUT', path, { contact: { phone } }, headers);
  await update('+372.111', key('late'));
  await update('+372.222');

  const repeated = await update('+372.111', key('late'));

  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.id, contact.id));
  expect(row?.phone).toBe('+372.222');
});

it('a request with an Idempotency-Key keeps its answer even if there was nothing to change', async () => {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha, { phone: '+372.111' });
  const path = `/${contact.code}`;
  const update = (phone: string, headers = {}) =>
    repp.request(alpha, 'PUT', path, { contact: { phone } }, headers);
  await update('+372.111', key('same'));
  await update('+372.222');

  const repeated = await update('+372.111', key('same'));

  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
});

it('a request with an Idempotency-Key reports a deletion as done when it is repeated', async () => {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha);
  const remove = () => repp.request(alpha, 'DELETE', `/${contact.code}`, undefined, key('gone'));
  await remove();

  expect(await answerOf(remove())).toEqual(completed({}));
});

it('a request with an Idempotency-Key is judged again after a refusal, which keeps nothing', async () => {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha);
  const domain = await addDomainOf(worker.env, contact);
  const remove = () => repp.request(alpha, 'DELETE', `/${contact.code}`, undefined, key('r'));
  const refused = await remove();
  await worker.env.DB.prepare('delete from domains where id = ?').bind(domain.id).run();

  const done = await remove();

  expect(refused.status).toBe(400);
  expect(done.status).toBe(200);
});

it('a request with an Idempotency-Key replays a registrant’s update with the whole contact', async () => {
  const alpha = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, alpha);
  const person = { authorization: await bearer(worker) };
  const update = () =>
    portal.request(person, 'PATCH', `/${contact.uuid}`, { name: 'New Name' }, key('reg'));
  const first = await (await update()).text();

  const repeated = await update();

  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  expect(await repeated.text()).toBe(first);
  const changes = await worker.db
    .select()
    .from(history)
    .where(and(eq(history.subjectUuid, contact.uuid), eq(history.action, 'update')));
  expect(changes).toHaveLength(1);
});

it.each(['"open', 'x'.repeat(256), 'with"quote'])(
  'a request with the malformed Idempotency-Key %j is refused',
  async (malformed) => {
    const alpha = await addRegistrar(worker.env);

    expect(await answerOf(repp.request(alpha, 'POST', '', creation, key(malformed)))).toMatchObject(
      {
        status: 400,
        body: { code: 2005, message: 'Idempotency key is invalid [Idempotency-Key]' },
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
