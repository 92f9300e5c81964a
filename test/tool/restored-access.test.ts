import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openFile } from '../../src/tool/local/file.ts';
import { applyMigrations } from '../../src/tool/migrate.ts';
import { writeBackup } from '../../src/tool/nouns/backup/file.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'BETA', 'GAMMA');
const fingerprint = (digit: string) => digit.repeat(64);
let file: string;

/** Commands as they are typed. */
async function run(...commands: string[]): Promise<void> {
  for (const command of commands) await registry.done(command);
}

beforeAll(async () => {
  await run(
    'registrar update BETA --allow-ip 192.0.2.1 192.0.2.2',
    'api-user add --registrar ALPHA --username rotated',
    'api-user add --registrar ALPHA --username disabled',
    'api-user add --registrar ALPHA --username bound',
    'api-user add --registrar ALPHA --username same',
    'system add epp --may domains,auctions --allow-ip 192.0.2.7,192.0.2.8',
    'system add shop --may domains',
    `certificate bind --user bound --fingerprint ${fingerprint('a')}`,
    `certificate bind --user bound --fingerprint ${fingerprint('b')}`,
  );
  file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  await run(
    'api-user rotate rotated',
    'api-user disable disabled',
    `certificate require --user bound`,
    `certificate unbind --user bound --fingerprint ${fingerprint('b')}`,
    'registrar suspend ALPHA --reason leaked',
    'registrar update BETA --allow-ip 192.0.2.2',
    'registrar update GAMMA --allow-ip 192.0.2.3',
    'system update epp --may domains --allow-ip 192.0.2.8',
    'system remove shop --yes',
  );
});

/** What decides who gets in. */
async function access() {
  const { registrars, api_users, systems, certificates } = (await registry.rows()) as Record<
    string,
    Record<string, unknown>[]
  >;
  const of = (rows: typeof registrars, ...columns: string[]) =>
    rows!.map((row) => columns.map((column) => row[column]));
  return {
    registrars: of(registrars, 'code', 'suspended_at', 'allowed_ips'),
    users: of(api_users, 'username', 'secret_digest', 'disabled_at', 'certificate_required'),
    systems: of(systems, 'name', 'key_digest', 'rights', 'allowed_ips'),
    certificates: of(certificates, 'fingerprint'),
  };
}

test('a restore brings no access back: what was ended since the backup stays so, and is named', async () => {
  const before = await access();
  const { kept } = await registry.done(['restore', file, '--yes']);
  const { systems, ...others } = await access();
  expect(others).toEqual({ ...before, systems: undefined });
  expect(systems).toEqual([before.systems[0], ['shop', expect.any(String), '["domains"]', '[]']]);
  expect(kept).toEqual([
    { name: 'registrar ALPHA', fields: ['suspended_at'] },
    { name: 'registrar BETA', fields: ['allowed_ips'] },
    { name: 'registrar GAMMA', fields: ['allowed_ips'] },
    { name: 'API user rotated of ALPHA', fields: ['secret_digest', 'secret_changed_at'] },
    { name: 'API user disabled of ALPHA', fields: ['disabled_at'] },
    { name: 'API user bound of ALPHA', fields: ['is_certificate_required', 'certificate'] },
    { name: 'system epp', fields: ['allowed_ips', 'rights'] },
    { name: 'system shop', fields: ['disabled_at'] },
  ]);
  const { history } = await registry.done('history api-user disabled');
  expect(history.toReversed()).toMatchObject([
    { action: 'create' },
    { changes: { disabled_at: { from: null } } },
  ]);
  // The same once more changes nothing.
  const again = path.join(path.dirname(file), 'again.sqlite');
  await registry.done(['backup', again]);
  expect(await registry.done(['restore', again, '--yes'])).toMatchObject({ kept: [] });
});

test('a restore names what stays as it was before it asks', async () => {
  const { status, stderr } = await registry.run(['restore', file]);
  expect(status).toBe(1);
  expect(stderr).toContain('would keep as it is: API user disabled of ALPHA: disabled_at\n');
});

test('lets in whom the file lets in if told to, and of a database without registrars', async () => {
  const other = await tool.newRegistry();
  expect(await other.done(['restore', file, '--yes'])).toMatchObject({ kept: [] });
  await registry.done(['restore', file, '--yes', '--access-as-in-file']);
  const { api_users } = await other.rows();
  expect((await registry.rows()).api_users).toEqual(api_users);
});

test('of two secrets, the one that was changed later stays', async () => {
  await registry.done('api-user rotate same');
  const later = path.join(path.dirname(file), 'later.sqlite');
  await registry.done(['backup', later]);
  const digests = async () => (await access()).users.map(([, digest]) => digest);
  const rotated = await digests();
  await registry.done(['restore', file, '--yes', '--access-as-in-file']);
  expect(await digests()).not.toEqual(rotated);
  await registry.done(['restore', later, '--yes']);
  expect(await digests()).toEqual(rotated);
});

test('a secret of which the file says that it changes in the future is not the later one', async () => {
  const place = await tool.newRegistry('ALPHA');
  await place.done('api-user add --registrar ALPHA --username former');
  place.edit(`update api_users set secret_changed_at = '2999-01-01T00:00:00.000Z'`);
  const backup = path.join(await tool.newDirectory(), 'backup.sqlite');
  await place.done(['backup', backup]);
  await place.done('api-user rotate former');
  const { api_users } = await place.rows();
  expect(await place.done(['restore', backup, '--yes'])).toMatchObject({
    kept: [{ name: 'API user former of ALPHA', fields: ['secret_digest', 'secret_changed_at'] }],
  });
  expect((await place.rows()).api_users).toMatchObject(
    api_users!.map((user) => ({
      secret_digest: (user as { secret_digest: string }).secret_digest,
    })),
  );
});

test('a secret that was replaced since the backup stays out though the clock of this machine is behind', async () => {
  const place = await tool.newRegistry('ALPHA');
  await place.done('api-user add --registrar ALPHA --username leaked');
  const backup = path.join(await tool.newDirectory(), 'backup.sqlite');
  await place.done(['backup', backup]);
  await place.done('api-user rotate leaked');
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  place.edit(`update api_users set secret_changed_at = '${inAnHour}'`);
  const { api_users } = await place.rows();
  await place.done(['restore', backup, '--yes']);
  expect((await place.rows()).api_users).toMatchObject(
    api_users!.map((user) => ({
      secret_digest: (user as { secret_digest: string }).secret_digest,
      secret_changed_at: inAnHour,
    })),
  );
});

const uuid = '7c2f1a34-0e0b-4f43-9a54-0d2f6a7b8c91';

/** A file as move-in writes it, with a registrar, a user and a contact of the former registry. */
async function movedIn(): Promise<string> {
  const moved = path.join(await tool.newDirectory(), 'moved.sqlite');
  const fill = async (target: string) => {
    const { database, close } = openFile(target, { isWritable: true });
    await applyMigrations(database);
    const at = '2026-11-02T00:00:00.000Z';
    const statements = [
      `insert into registrars (code, name, created_at, updated_at) values ('ALPHA', 'Alpha', '${at}', '${at}')`,
      `insert into api_users (registrar_id, username, secret_digest, secret_changed_at, created_at, updated_at)
        values (1, 'former', '${fingerprint('c')}', '', '', '')`,
      `insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
          ident_type, ident_country_code, auth_info, created_at, updated_at)
        values ('${uuid}', 1, 1, 'ALPHA:TAMM', 'JAAN', 'JAAN', 'J@EE', 'J@EE', '', '1', '1', 'priv', 'EE', '', '${at}', '${at}')`,
      `insert into history (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
        values ('${at}', 'contact', 'ALPHA:TAMM', '${uuid}', 'ALPHA', 'create', 'move_in', 'move-in', '{"name":{"from":null,"to":"JAAN"}}')`,
    ];
    await database.batch(statements.map((sql) => database.prepare(sql)));
    close();
  };
  await writeBackup(moved, fill, { writtenBy: 'move-in' });
  return moved;
}

test('a file of move-in has its own access, and whom the bucket remembers as erased is erased again', async () => {
  const place = await tool.newRegistry('ALPHA');
  const { env, dispose } = await place.open();
  await env.ARCHIVE!.put(`erasures/${uuid}/2026-11-01T00:00:00.000Z`, '');
  await dispose();
  const answer = await place.done(['restore', await movedIn(), '--yes']);
  expect(answer).toMatchObject({ kept: [], erased_again: [{ code: 'ALPHA:TAMM', uuid }] });
  const { contacts, api_users } = await place.rows();
  expect({ contacts, api_users }).toMatchObject({
    contacts: [],
    api_users: [{ disabled_at: null }],
  });
});

test('a file of move-in replaces a registry that is in use only if told to', async () => {
  const place = await tool.newRegistry('ALPHA');
  const moved = await movedIn();
  await place.done(['restore', moved, '--yes']);
  place.edit(`insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
    values ('2026-11-21', 'contact', 'ALPHA:1', 'update', 'api_user', '7-ApiUser: ats', '{}')`);
  const { status, stderr } = await place.run(['restore', moved, '--yes']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'refused: the registry is in use: 7-ApiUser: ats has changed it; --replace-all removes it\n',
  });
  await place.done(['restore', moved, '--yes', '--replace-all']);
});
