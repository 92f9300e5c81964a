import { expect, test } from 'vitest';
import { type Files, row, smallRegistry, uuidOf } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn, reconcile } = moves;

const at = '2015-03-04T05:06:07.123Z';

/** A difference, as a line of the report has it. */
const values = (given: Record<string, unknown>) => JSON.stringify(JSON.stringify(given));

test('brings every kind of row with its ids, UUIDs, codes and times', async () => {
  const { lines } = await moveIn(smallRegistry());
  expect(lines).toEqual([]);
  const rows = await moves.registry.rows();
  expect(rows.registrars).toEqual([
    expect.objectContaining({
      id: 7,
      code: 'ALPHA',
      allowed_ips: '["192.0.2.1"]',
      contact_count: 2,
    }),
    expect.objectContaining({ id: 9, code: 'BETA', created_at: at, contact_count: 1 }),
  ]);
  expect(rows.api_users).toEqual([
    expect.objectContaining({
      ...{ registrar_id: 7, username: 'ats', secret_digest: null },
      password_hash: expect.stringMatching(/^pbkdf2-sha256\$/),
    }),
  ]);
  expect(rows.contacts).toEqual([
    expect.objectContaining({
      ...{ id: 11, uuid: uuidOf(11), registrar_id: 7, code: 'ALPHA:11', statuses: '[]' },
      ...{ domain_count: 1, creator: '1-ApiUser: ats', created_at: at, ident_key: '38001085718' },
    }),
    expect.objectContaining({ id: 12, status_notes: '{}' }),
    expect.objectContaining({ id: 15, registrar_id: 9, domain_count: 2 }),
  ]);
  expect(rows.domains).toEqual([
    expect.objectContaining({ name: 'pirn.ee', registrar_id: 9 }),
    expect.objectContaining({ name: 'õun.ee', punycode: 'xn--un-bka.ee', created_at: at }),
  ]);
  expect(rows.retained_domains).toEqual([
    expect.objectContaining({ status: 'reserved', password: 'sala', last_day: '2999-01-01' }),
    expect.objectContaining({ name: 'paha.ee', status: 'blocked', created_at: at }),
  ]);
  expect(rows.disputes).toEqual([
    expect.objectContaining({ first_day: '2016-01-01', last_day: '9999-12-31', closed_at: null }),
  ]);
  expect(rows.auctions).toEqual([
    expect.objectContaining({ uuid: uuidOf(21), status: 'started', registration_code: null }),
    expect.objectContaining({ uuid: uuidOf(22), registration_code: 'kood', platform: 'auto' }),
  ]);
  const { lists } = await moves.registry.done('lists status');
  const counts = (lists as { list: string; count: number }[]).map(({ list, count }) => [
    list,
    count,
  ]);
  expect(Object.fromEntries(counts)).toMatchObject({ auctions: 1, reserved: 1, disputed: 1 });
  expect(await reconcile()).toMatchObject({ status: 0, equal: true, differences: [] });
});

test('writes nothing the second time', async () => {
  await moveIn(smallRegistry());
  const before = await moves.registry.rows();
  const { counts, changed } = await moveIn(smallRegistry());
  expect(changed).toBe(false);
  expect(counts.contacts).toEqual({ unchanged: 3 });
  expect(counts['api-users']).toEqual({ unchanged: 1 });
  expect(await moves.registry.rows()).toEqual(before);
});

test('records every row in the history, of one request, without values that are secret', async () => {
  const earlier = (await moves.registry.rows()).history!.length;
  await moveIn(smallRegistry());
  const rows = (await moves.registry.rows()) as { history: Record<string, string>[] };
  const history = rows.history.slice(earlier);
  expect(history).toHaveLength(14);
  expect(new Set(history.map(({ request_id: id }) => id)).size).toBe(1);
  expect(new Set(history.map((entry) => entry.actor_type))).toEqual(new Set(['move_in']));
  expect(history[0]!.actor).toMatch(/^move-in \(Operator .+\)$/);
  const changes = history.map((entry) => entry.changes).join();
  expect(changes).not.toMatch(/sala|kood|auth11/);
  expect(JSON.parse(history.find(({ subject_key: key }) => key === 'õun.ee')!.changes!)).toEqual({
    name: { from: null, to: 'õun.ee' },
    registrar: { from: null, to: 'ALPHA' },
    registrant: {
      from: null,
      to: 'ALPHA:11',
      uuids: { 'ALPHA:11': '00000000-0000-4000-8000-000000000011' },
    },
    admin: {
      from: null,
      to: ['ALPHA:12'],
      uuids: { 'ALPHA:12': '00000000-0000-4000-8000-000000000012' },
    },
    tech: { from: null, to: [], uuids: {} },
    createdAt: { from: null, to: '2015-03-04T05:06:07.123Z' },
  });
});

test('brings a delta: what is new, what has changed, and what is gone', async () => {
  await moveIn(smallRegistry());
  const files = smallRegistry();
  files.contacts![0]!.email = 'uus@example.ee';
  files.contacts!.push(row.contact(16, 'BETA'));
  files.contacts = files.contacts!.filter(({ id }) => id !== '12');
  files['domain-contacts'] = files['domain-contacts']!.filter(({ role }) => role !== 'admin');
  files.auctions![0]!.status = 'no_bids';
  files.auctions!.push(row.auction(23, 'vana.ee', 'started'));
  files.reserved = [row.reserved('valitsus.ee')];
  files['api-users']![0]!.password = 'uus sala';
  const [{ version }] = (await moves.registry.rows()).contacts as [{ version: number }];
  const { counts } = await moveIn(files);
  expect(counts).toMatchObject({
    registrars: { unchanged: 2 },
    'api-users': { updated: 1 },
    contacts: { added: 1, updated: 1, removed: 1, unchanged: 1 },
    domains: { updated: 1, unchanged: 1 },
    reserved: { added: 1, removed: 1 },
    auctions: { added: 1, updated: 1, unchanged: 1 },
  });
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
  const { contacts, domain_contacts: links } = await moves.registry.rows();
  expect(contacts).toEqual([
    expect.objectContaining({ id: 11, email: 'uus@example.ee', version: version + 1 }),
    expect.objectContaining({ id: 15 }),
    expect.objectContaining({ id: 16 }),
  ]);
  expect(links).toHaveLength(3);
});

test('gives a contact another id, UUID or registrar, and keeps its domains', async () => {
  await moveIn(smallRegistry());
  await moves.begin();
  const files = smallRegistry();
  files.contacts = [
    row.contact(31, 'ALPHA', { code: 'ALPHA:11' }),
    row.contact(12, 'BETA', { code: 'ALPHA:12' }),
    row.contact(15, 'BETA'),
  ];
  const { counts } = await moveIn({ contacts: files.contacts });
  expect(counts.contacts).toEqual({ updated: 2, unchanged: 1 });
  const { contacts, domain_contacts: links } = await moves.registry.rows();
  expect(contacts).toEqual([
    expect.objectContaining({ id: 12, code: 'ALPHA:12', registrar_id: 9, domain_count: 1 }),
    expect.objectContaining({ id: 15, domain_count: 2 }),
    expect.objectContaining({ id: 31, code: 'ALPHA:11', uuid: uuidOf(31), domain_count: 1 }),
  ]);
  expect(links).toHaveLength(4);
});

test('leaves what others have changed, deleted or made here, and settles it with --theirs', async () => {
  await moveIn(smallRegistry());
  await moves.registry.done('retained remove riigikogu.ee --status reserved --yes');
  await moves.registry.done('retained add minu.ee --status blocked');
  await moves.registry.done('registrar update ALPHA --name Alfa');
  const again = await moveIn(smallRegistry());
  expect(again.changed).toBe(false);
  expect(again.lines).toEqual([
    'blocked.csv: minu.ee  "" conflict: was made here',
    `registrars.csv:2 ALPHA  ${values({ name: 'ALPHA OÜ', updated_at: at })} conflict: was changed here`,
    `reserved.csv:2 riigikogu.ee  ${values({ name: 'riigikogu.ee', password: null, last_day: '2999-01-01', created_at: at })} conflict: was deleted here`,
  ]);
  expect(await reconcile()).toMatchObject({ status: 0, equal: false, unreported: 0 });
  const settled = await moveIn(smallRegistry(), '--theirs');
  expect(settled.counts).toMatchObject({
    registrars: { updated: 1 },
    reserved: { added: 1 },
    blocked: { removed: 1 },
  });
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
});

test('removes a registrar with what is its own, once nothing else belongs to it', async () => {
  await moveIn(smallRegistry());
  moves.registry.edit(`insert into notifications (registrar_id, event, text, subject_key, fields, created_at)
    values (9, 'contact.updated', 'text', 'BETA:15', '[]', '2026-01-01T00:00:00.000Z')`);
  const files: Files = { registrars: [row.registrar(7, 'ALPHA')] };
  const kept = await moveIn({ ...smallRegistry(), ...files });
  expect(kept.lines).toContain(
    'registrars.csv: BETA  "contact BETA:15" conflict: another row still refers to it',
  );
  expect(await reconcile()).toMatchObject({ status: 0, equal: false, unreported: 0 });
  const isOfBeta = ({ registrar, domain }: Record<string, string>) =>
    registrar === 'BETA' || domain === 'pirn.ee';
  const others = Object.entries(smallRegistry()).map(([name, rows]) => [
    name,
    rows.filter((each) => !isOfBeta(each)),
  ]);
  const { counts } = await moveIn({ ...Object.fromEntries(others), ...files });
  expect(counts).toMatchObject({
    ...{ registrars: { removed: 1 }, contacts: { removed: 1 }, domains: { removed: 1 } },
  });
  const { registrars, notifications } = await moves.registry.rows();
  expect(registrars).toMatchObject([{ code: 'ALPHA' }]);
  expect(notifications).toEqual([]);
});

test('leaves what another row here stands in the way of, and says so', async () => {
  await moves.registry.done('auction start vana.ee');
  const { lines, counts } = await moveIn(smallRegistry());
  const auction = values({
    ...{ uuid: uuidOf(21), name: 'vana.ee', status: 'started', platform: 'auto' },
    ...{ created_at: at, updated_at: at },
  });
  expect(counts.auctions).toEqual({ added: 1, conflicts: 2 });
  expect(lines).toEqual([
    `auctions.csv:2 ${uuidOf(21)}  ${auction} conflict: another row here has a value that only one may have`,
    expect.stringMatching(/^auctions.csv: [0-9a-f-]{36} {2}"" conflict: was made here$/),
  ]);
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});
