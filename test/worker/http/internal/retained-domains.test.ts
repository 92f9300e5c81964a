import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { retainedDomains } from '../../../../drizzle/schema.ts';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { removeRetainedDomains } from '../../../../src/name/retained/change-names.ts';
import { saveRetainedDomain } from '../../../../src/name/retained/save.ts';
import { answerOf } from '../../../support/client.ts';
import { addRetainedDomain, addSystem, operator, send, unique } from '../../../support/fixtures.ts';
import { beforeBatch } from '../../../support/meanwhile.ts';
import { historyOf } from '../../../support/stored.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker({ ZONES: 'ee, med.ee' });

let system: Awaited<ReturnType<typeof addSystem>>;
beforeAll(async () => {
  system = await addSystem(worker.env, ['retained']);
});

async function call(method: string, path: string, body?: object | string, by = system) {
  const url = `/api/v1/internal/retained_domains/${path}`;
  const response = await worker.fetch(url, send(method, by, body));
  const ignored = response.headers.get('Ignored-Fields');
  return { ...(await answerOf(response)), ignored };
}

const newName = () => `hoitud${unique()}.ee`;
const rowsOf = (name: string) =>
  worker.db.select().from(retainedDomains).where(eq(retainedDomains.name, name));

test('a new reservation without a password gets a random one, which no other answer shows', async () => {
  const name = newName();
  const first = await call('PUT', `${name}/reserved`);
  expect(first).toMatchObject({
    status: 201,
    body: {
      ...{ name, punycode_name: name, status: 'reserved', last_day: null },
      password: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  });
  expect(await rowsOf(name)).toMatchObject([{ password: first.body.password, lastDay: null }]);
  const { password: _, ...shown } = first.body;
  expect(await call('PUT', `${name}/reserved`, {})).toMatchObject({ status: 200, body: shown });
  expect((await call('PUT', `${name}/reserved`)).body).toEqual(shown);
  const entries = await historyOf(worker.env, 'retained_domain', { name });
  expect(entries).toMatchObject([
    {
      action: 'create',
      actor: `System: ${system.name}`,
      changes: { status: { from: null, to: 'reserved' }, password: { redacted: true } },
    },
  ]);
});

test('a reservation takes a password and a last day, and keeps what is left out', async () => {
  const name = newName();
  const given = { password: 'sesame', last_day: ' 2099-12-31 ' };
  const first = await call('PUT', `${name}/reserved`, given);
  const shown = { name, punycode_name: name, status: 'reserved', last_day: '2099-12-31' };
  expect(first).toMatchObject({ status: 201, ignored: null });
  expect(first.body).toEqual(shown);
  await call('PUT', `${name}/reserved`, { last_day: '2098-01-01' });
  expect(await rowsOf(name)).toMatchObject([{ password: 'sesame', lastDay: '2098-01-01' }]);
  await call('PUT', `${name}/reserved`, { password: 'open', last_day: null });
  expect(await rowsOf(name)).toMatchObject([{ password: 'open', lastDay: null }]);
  const entries = await historyOf(worker.env, 'retained_domain', { name });
  expect(entries.map(({ changes }) => changes)).toEqual([
    expect.objectContaining({ lastDay: { from: null, to: '2099-12-31' } }),
    { lastDay: { from: '2099-12-31', to: '2098-01-01' } },
    { password: { redacted: true }, lastDay: { from: '2098-01-01', to: null } },
  ]);
});

test('a name is blocked besides being reserved, and fields of a reservation are ignored', async () => {
  const { name } = await addRetainedDomain(worker.env, { name: newName(), password: 'sesame' });
  const given = { password: 'mine', last_day: '2099-12-31' };
  const shown = { name, punycode_name: name, status: 'blocked', last_day: null };
  expect(await call('PUT', `${name}/blocked`, given)).toEqual({
    status: 201,
    ignored: 'password, last_day',
    body: shown,
  });
  expect(await call('PUT', `${name}/blocked`)).toEqual({ status: 200, ignored: null, body: shown });
  expect(await rowsOf(name)).toHaveLength(2);
  expect(await call('DELETE', `${name}/blocked`)).toMatchObject({ status: 204, body: undefined });
  expect(await rowsOf(name)).toMatchObject([{ status: 'reserved', password: 'sesame' }]);
});

test('a name is released, also if it is not there', async () => {
  await addRetainedDomain(worker.env, { name: 'õunapuu.ee', punycode: 'xn--unapuu-xxa.ee' });
  for (let time = 1; time <= 2; time++) {
    expect((await call('DELETE', '%C3%95unapuu.ee/reserved')).status).toBe(204);
    expect(await rowsOf('õunapuu.ee')).toEqual([]);
  }
  expect(await historyOf(worker.env, 'retained_domain', { name: 'õunapuu.ee' })).toMatchObject([
    { action: 'delete', actor: `System: ${system.name}` },
  ]);
});

test('what is not a day, a password, a name of the zones or a status is refused', async () => {
  const fieldOf = async (path: string, body: object) => {
    const answer = await call('PUT', path, body);
    return [answer.status, ...Object.keys(answer.body.errors)];
  };
  for (const last_day of ['2026-02-30', '2001-01-01', 'soon', 7]) {
    expect(await fieldOf(`${newName()}/reserved`, { last_day })).toEqual([400, 'last_day']);
  }
  for (const password of ['x'.repeat(256), 'a\nb', 7]) {
    expect(await fieldOf(`${newName()}/reserved`, { password })).toEqual([400, 'password']);
  }
  expect(await fieldOf('tallinn/reserved', {})).toEqual([400, 'name']);
  expect(await fieldOf('kohv.fi/blocked', {})).toEqual([400, 'name']);
  expect(await fieldOf(`${newName()}/disputed`, {})).toEqual([404, 'base']);
  expect((await call('DELETE', 'kohv.fi/blocked')).status).toBe(204);
});

test('a reservation that somebody else ends meanwhile is made again, with what was asked for', async () => {
  const row = await addRetainedDomain(worker.env, { name: newName(), password: 'old' });
  const db = beforeBatch(worker.env, 1, () => removeRetainedDomains(worker.operation, [row]));
  const given = { lastDay: '2099-12-31' };
  const saved = await saveRetainedDomain(
    { db, origin: operator },
    parseDomainName(row.name),
    'reserved',
    given,
  );
  expect(saved).toEqual({ isNew: true, lastDay: '2099-12-31', password: expect.any(String) });
  expect(await rowsOf(row.name)).toMatchObject([{ password: saved.password }]);
});

test('a name below a name of the registry is neither reserved nor blocked, and what is there is shown and released', async () => {
  const above = newName();
  const name = `www.${above}`;
  for (const status of ['reserved', 'blocked'] as const) {
    expect(await call('PUT', `${name}/${status}`)).toMatchObject({
      status: 400,
      body: { errors: { name: [`"${name}" belongs to "${above}"`] } },
    });
    await addRetainedDomain(worker.env, { name, status });
    const shown = await answerOf(worker.fetch(`/repp/v1/retained_domains/${name}`));
    expect(shown.status).toBe(200);
    expect((await call('DELETE', `${name}/${status}`)).status).toBe(204);
    expect(await rowsOf(name)).toEqual([]);
  }
});

test('a zone inside another zone is blocked, and not reserved', async () => {
  expect((await call('PUT', 'med.ee/blocked')).status).toBe(201);
  const errors = { name: ['"med.ee" is a zone of this registry'] };
  expect(await call('PUT', 'med.ee/reserved')).toMatchObject({ status: 400, body: { errors } });
});
