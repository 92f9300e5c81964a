import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { findDatabaseFile } from '../../../src/tool/local/file.ts';
import { listMigrations } from '../../../src/tool/migrate.ts';
import { readSeal } from '../../../src/tool/nouns/backup/file.ts';
import { smallRegistry, uuidOf, writeFiles } from './files.ts';
import { run, startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn, reconcile } = moves;
const fingerprint = 'a1'.repeat(32);

const at = '2015-03-04T05:06:07.123Z';

test('brings every kind of row with its ids, UUIDs, codes and times', async () => {
  const { lines } = await moveIn(smallRegistry());
  expect(lines).toEqual([]);
  const rows = moves.rows();
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
      ...{ registrar_id: 7, username: 'ats', secret_digest: null, certificate_required: 0 },
      password_hash: expect.stringMatching(/^pbkdf2-sha256\$/),
    }),
  ]);
  expect(rows.certificates).toMatchObject([
    {
      ...{ api_user_id: rows.api_users![0]!.id, system_id: null, fingerprint, common_name: 'ats' },
      ...{ expires_at: '2999-01-01T00:00:00.000Z', created_at: at },
    },
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
    expect.objectContaining({ name: 'õun.ee', punycode: 'xn--un-bka.ee', created_at: at }),
    expect.objectContaining({ name: 'pirn.ee', registrar_id: 9 }),
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
  expect(await reconcile()).toMatchObject({ status: 0, equal: true, differences: [] });
});

test('records every row in the history, of one request, without values that are secret', async () => {
  await moveIn(smallRegistry());
  const history = moves.rows().history!;
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
    createdAt: { from: null, to: at },
  });
  const [, entry] = history.filter(({ subject_key: key }) => key === 'ats');
  expect(entry).toMatchObject({ subject: 'api_user', action: 'update' });
  expect(JSON.parse(entry!.changes)).toEqual({
    certificate: { from: null, to: fingerprint },
    commonName: { from: null, to: 'ats' },
    expiresAt: { from: null, to: '2999-01-01T00:00:00.000Z' },
    createdAt: { from: null, to: at },
  });
});

test('has every migration and the schema of a registry, and nothing that a deployment derives', async () => {
  await moveIn(smallRegistry());
  const schema = (file: string) => {
    using database = new DatabaseSync(file, { readOnly: true });
    const sql = 'select type, name, sql from sqlite_schema order by type, name';
    return database
      .prepare(sql)
      .all()
      .filter(({ name }) => !String(name).startsWith('_cf_'));
  };
  const registry = await moves.tool.newRegistry();
  const found = findDatabaseFile(registry.directory, undefined)!;
  expect(schema(moves.file)).toEqual(schema(found));
  const rows = moves.rows();
  expect(rows.d1_migrations!.map(({ name }) => name)).toEqual(listMigrations());
  const { list_publications, archived_days, daily_counts, cron_runs, webhook_deliveries } = rows;
  const derived = [list_publications, archived_days, daily_counts, cron_runs, webhook_deliveries];
  expect(derived).toEqual([[], [], [], [], []]);
});

test('writes a whole backup that says that move-in wrote it, and leaves another file alone', async () => {
  await moveIn(smallRegistry());
  expect(await readSeal(moves.file)).toMatchObject({ writtenBy: 'move-in' });
  const again = await run('move-in', moves.directory, '--to', moves.file);
  expect(again).toMatchObject({
    status: 1,
    stderr: `refused: ${moves.file} already exists [file]\n`,
  });
});

test('the same files give the same rows again, with versions of their own', async () => {
  await moveIn(smallRegistry());
  const { contacts: first } = moves.rows();
  await moveIn(smallRegistry());
  const { contacts: second } = moves.rows();
  const withoutVersions = (rows: typeof first) =>
    rows!.map(({ version: _, unlinked_at: __, ...row }) => row);
  expect(withoutVersions(second)).toEqual(withoutVersions(first));
  expect(second![0]!.version).toBeGreaterThan(first![0]!.version);
});

test('leaves no file if one of the directory cannot be read', async () => {
  writeFiles(moves.directory, { blocked: [{ nimi: 'paha.ee' }] });
  const ended = await run('move-in', moves.directory, '--to', moves.file);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toContain('the header line lacks the column name');
  expect(existsSync(moves.file)).toBe(false);
});
