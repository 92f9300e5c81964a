import { eq, sql } from 'drizzle-orm';
import { expect, it, test, vi } from 'vitest';
import { certificates, type SystemRight } from '../../../drizzle/schema.ts';
import { deleteEndedSecrets, type Holder, holders } from '../../../src/party/credential/holder.ts';
import {
  bindCertificate,
  requireCertificate,
} from '../../../src/party/credential/operator/certificate.ts';
import { rotateHolder } from '../../../src/party/credential/operator/holder.ts';
import { findRefusals } from '../../../src/party/registrar/login.ts';
import { hashPassword } from '../../../src/party/registrar/operator/password.ts';
import { app } from '../../../src/worker/http/app.ts';
import { rateLimits } from '../../../src/worker/settings.ts';
import { answerOf } from '../../support/client.ts';
import { addRegistrar, addSystem, basic, operator, send } from '../../support/fixtures.ts';
import { answerHere, shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const policy = rateLimits.map((limit) => `"${limit}";q=600;w=60`).join(', ');

const newFingerprint = () => crypto.randomUUID().replaceAll('-', '').repeat(2);
const list = '/repp/v1/contacts';
const name = '/api/v1/internal/names/noor.ee';

/** What the platform says of a client certificate that it trusts. */
const trusted = (fingerprint: string) => ({
  certPresented: '1',
  certVerified: 'SUCCESS',
  certRevoked: '0',
  certFingerprintSHA256: fingerprint,
});

/** The answer, the line in the log, and what the request goes on with after the answer. */
async function answered(path: string, headers: Record<string, string>, tlsClientAuth?: object) {
  const logged = vi.spyOn(console, 'info').mockReturnValue();
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
  const given = { 'CF-Connecting-IP': '127.0.0.1', ...headers };
  const request = new Request(`http://localhost${path}`, { headers: given });
  if (tlsClientAuth) Object.defineProperty(request, 'cf', { value: { tlsClientAuth } });
  const response = await app.fetch(request, worker.env, context as unknown as ExecutionContext);
  await Promise.all(later);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  return { status: response.status, body: await response.json(), refusal: lines[0].refusal };
}

const bind = (holder: Holder, fingerprint: string, expiresAt: string | null = null) =>
  bindCertificate({ db: worker.db, origin: operator }, holder, {
    fingerprint,
    commonName: null,
    expiresAt,
  });
const require = (holder: Holder, isRequired = true) =>
  requireCertificate({ db: worker.db, origin: operator }, holder, isRequired);

interface Party {
  holder: Holder;
  path: string;
  secret: string;
  headers: Record<string, string>;
  /** Makes another secret, while the old one goes on working. */
  replace(): Promise<string>;
}

const rotate = async (holder: Holder, atOnce: boolean) =>
  (await rotateHolder({ db: worker.db, origin: operator }, holder, { atOnce }))!;

async function user(values = {}): Promise<Party> {
  const { apiUser, secret, authorization } = await addRegistrar(worker.env, values);
  const holder: Holder = { type: 'api_user', key: apiUser.username };
  const own = '/repp/v1/registrar/api_user/secret';
  return {
    ...{ holder, path: list, secret, headers: { Authorization: authorization } },
    replace: async () =>
      (await answerOf(worker.fetch(own, send('POST', { authorization })))).body.data.api_user
        .secret,
  };
}

async function system(rights: SystemRight[] = []): Promise<Party> {
  const added = await addSystem(worker.env, rights);
  const holder: Holder = { type: 'system', key: added.name };
  const headers = { Authorization: added.authorization };
  return { holder, path: name, secret: added.key, headers, replace: () => rotate(holder, false) };
}

async function actingSystem(): Promise<Party> {
  const { code } = await addRegistrar(worker.env);
  const { headers, ...party } = await system(['act-for']);
  return { ...party, path: list, headers: { ...headers, 'Acting-For': code } };
}

const parties: [string, () => Promise<Party>][] = [
  ['a user', () => user()],
  ['a system', () => system()],
  ['a system that acts for a registrar', actingSystem],
];

it.each(parties)('%s whose logins need a certificate gets in with a bound one', async (_, add) => {
  const { holder, path, headers } = await add();
  const fingerprint = newFingerprint();
  await bind(holder, fingerprint);
  expect((await answered(path, headers)).status).toBe(200);
  await require(holder);
  const { status } = await answered(path, headers, trusted(fingerprint.toUpperCase()));
  expect(status).toBe(200);
  await require(holder, false);
  expect((await answered(path, headers)).status).toBe(200);
});

it.each(parties)(
  '%s without a bound certificate gets the answer to a wrong secret',
  async (_, add) => {
    const { holder, path, headers } = await add();
    const fingerprint = newFingerprint();
    await bind(holder, fingerprint);
    await require(holder);
    const scheme = headers.Authorization!.split(' ')[0];
    const wrong = await answered(path, { ...headers, Authorization: `${scheme} bm9ib2R5Ong=` });
    expect(wrong.status).toBe(401);
    const good = trusted(fingerprint);
    const lacking = [
      undefined,
      {},
      trusted(newFingerprint()),
      { ...good, certFingerprintSHA256: '' },
      { ...good, certPresented: '0' },
      { ...good, certVerified: 'FAILED:unable to get local issuer certificate' },
      { ...good, certVerified: 'NONE' },
      // A revoked certificate is verified, too.
      { ...good, certRevoked: '1' },
    ];
    for (const tlsClientAuth of lacking) {
      const { refusal, ...answer } = await answered(path, headers, tlsClientAuth);
      expect([refusal, answer]).toEqual(['certificate', { status: 401, body: wrong.body }]);
    }
  },
);

test('an expired certificate lets nobody in', async () => {
  const { holder, path, headers } = await user();
  const fingerprint = newFingerprint();
  await bind(holder, fingerprint, '2099-01-01T00:00:00.000Z');
  await require(holder);
  const rows = () => worker.db.update(certificates);
  const isIt = eq(certificates.fingerprint, fingerprint);
  await rows().set({ expiresAt: '2026-01-01T00:00:00.000Z' }).where(isIt);
  expect(await answered(path, headers, trusted(fingerprint))).toMatchObject({
    status: 401,
    refusal: 'certificate',
  });
});

test('an expired certificate is not bound, and does not allow to require one', async () => {
  const { holder } = await user();
  const fingerprint = newFingerprint();
  const past = '2026-01-01T00:00:00.000Z';
  await expect(bind(holder, fingerprint, past)).rejects.toMatchObject({ reason: 'invalid' });
  await bind(holder, fingerprint, '2099-01-01T00:00:00.000Z');
  const isIt = eq(certificates.fingerprint, fingerprint);
  await worker.db.update(certificates).set({ expiresAt: past }).where(isIt);
  await expect(require(holder)).rejects.toMatchObject({ reason: 'invalid' });
});

test('a certificate of another holder lets nobody in', async () => {
  const [one, other] = [await user(), await user()];
  const [its, others] = [newFingerprint(), newFingerprint()];
  await bind(one.holder, its);
  await bind(other.holder, others);
  await require(one.holder);
  expect((await answered(one.path, one.headers, trusted(others))).status).toBe(401);
});

test('whoever has stolen a secret learns nothing of it from another address', async () => {
  const { holder, path, headers } = await user({ allowedIps: ['203.0.113.1'] });
  await bind(holder, newFingerprint());
  await require(holder);
  const { body, refusal } = await answered(path, headers);
  expect([body, refusal]).toMatchObject([
    { message: 'Invalid authorization information' },
    'certificate',
  ]);
});

it.each(parties)(
  'the first login of %s with a bound certificate is recorded, once',
  async (_, add) => {
    const { holder, path, headers } = await add();
    const fingerprint = newFingerprint();
    await bind(holder, fingerprint);
    const presentedAt = async () => {
      const isIt = eq(certificates.fingerprint, fingerprint);
      return (await worker.db.select().from(certificates).where(isIt))[0]!.presentedAt;
    };
    await answered(path, headers);
    expect(await presentedAt()).toBeNull();
    expect((await require(holder)).isPresented).toBe(false);
    await answered(path, headers, trusted(fingerprint));
    const first = await presentedAt();
    expect(first).toMatch(/^\d{4}-/);
    await answered(path, headers, trusted(fingerprint));
    expect(await presentedAt()).toBe(first);
    expect((await require(holder)).isPresented).toBe(true);
  },
);

test('a refused login says all that is wrong with it, the certificate before the address', async () => {
  const { holder } = await user({ allowedIps: ['203.0.113.1'] });
  await bind(holder, newFingerprint());
  await require(holder);
  const login = { username: holder.key, address: '127.0.0.1', certificate: null };
  expect(await findRefusals(worker.db, { ...login, at: new Date().toISOString() })).toEqual([
    'certificate',
    'address',
  ]);
});

test('a right secret without the certificate costs the slow hash of a wrong one', async () => {
  // Whose hash is verified if the user has none.
  await addRegistrar(
    worker.env,
    {},
    { passwordHash: await hashPassword('sesame'), secretDigest: null },
  );
  const { holder, headers } = await user();
  await bind(holder, newFingerprint());
  await require(holder);
  const wrong = { Authorization: basic(holder.key, 'wrong') };
  for (const login of [wrong, headers]) {
    const hashes = vi.fn(async () => ({ success: true }));
    const env = { ...worker.env, RATE_LIMIT_POLICY: policy, PASSWORD_LIMITER: { limit: hashes } };
    expect((await answerHere(list, { headers: login }, env)).status).toBe(401);
    expect(hashes).toHaveBeenCalledTimes(1);
  }
});

/** The statuses of the answers to the holder with each of the secrets. */
async function statusesWith({ holder, path, headers }: Party, secrets: string[]) {
  const statuses: number[] = [];
  for (const secret of secrets) {
    const Authorization = holder.type === 'system' ? `Bearer ${secret}` : basic(holder.key, secret);
    statuses.push((await answered(path, { ...headers, Authorization })).status);
  }
  return statuses;
}

/** The replaced secret's digest, and until when it works. */
async function replacedOf({ type, key }: Holder) {
  const { table, key: name, replacedUntil, previousDigest } = holders[type];
  const columns = { until: replacedUntil, digest: previousDigest };
  const [row] = await worker.db.select(columns).from(table).where(eq(name, key));
  return row!;
}

it.each(parties)(
  'the old secret of %s works until a day after the first use of the new one, and is then forgotten',
  async (_, add) => {
    const party = await add();
    const secret = await party.replace();
    expect(await statusesWith(party, [party.secret, party.secret])).toEqual([200, 200]);
    expect(await replacedOf(party.holder)).toEqual({ until: null, digest: expect.any(String) });
    const usedAt = Date.now();
    expect(await statusesWith(party, [secret, party.secret])).toEqual([200, 200]);
    const { until, digest } = await replacedOf(party.holder);
    expect(Math.round((Date.parse(until!) - usedAt) / 3_600_000)).toBe(24);
    expect(await statusesWith(party, [secret])).toEqual([200]);
    await deleteEndedSecrets(worker.db, new Date(Date.parse(until!) - 1));
    expect(await replacedOf(party.holder)).toEqual({ until, digest });
    const { table, replacedUntil } = holders[party.holder.type];
    const ended = sql`update ${table} set ${sql.identifier(replacedUntil.name)} = ${new Date().toISOString()}`;
    await worker.db.run(sql`${ended} where ${replacedUntil} = ${until}`);
    expect(await statusesWith(party, [party.secret, secret])).toEqual([401, 200]);
    await deleteEndedSecrets(worker.db, new Date());
    expect(await replacedOf(party.holder)).toEqual({ until: null, digest: null });
  },
);

it.each(parties)('another new secret of %s replaces one that may be lost', async (_, add) => {
  const party = await add();
  const [lost, secret] = [await party.replace(), await party.replace()];
  expect(await statusesWith(party, [party.secret, lost, secret])).toEqual([200, 401, 200]);
});

it.each(parties)('the operator ends the secrets of %s at once', async (_, add) => {
  const party = await add();
  const secrets = [party.secret, await party.replace(), await rotate(party.holder, true)];
  expect(await statusesWith(party, secrets)).toEqual([401, 401, 200]);
});
