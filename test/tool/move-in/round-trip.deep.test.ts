import { existsSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auctionStatuses } from '../../../drizzle/schema.ts';
import { hashPassword } from '../../../src/party/registrar/operator/password.ts';
import { fill } from '../filled.ts';
import { startTool, type TestRegistry } from '../tool.ts';
import { type FileRow, type Files, row, uuidOf, writeFiles } from './files.ts';

const tool = startTool();

/** The rows that moving carries, without what only the registry itself knows. */
async function rowsOf(registry: TestRegistry) {
  const { registrars, api_users, contact_blocks, domains, domain_contacts, ...rows } =
    await registry.rows();
  const certificates = (rows.certificates as Record<string, unknown>[]).map(
    ({ presented_at: _, ...certificate }) => certificate,
  );
  const { retained_domains, disputes } = rows;
  const auctions = (rows.auctions as Record<string, unknown>[]).map(
    ({ version: _, ...auction }) => auction,
  );
  const contacts = (rows.contacts as Record<string, unknown>[]).map(
    ({ unlinked_at: _, version: __, ...contact }) => contact,
  );
  const moved = { registrars, api_users, contact_blocks, contacts, domains, domain_contacts };
  return { ...moved, certificates, retained_domains, disputes, auctions };
}

/** Whatever a former registry may have kept as text: everything but a null character. */
const special = ['', ' ', '"', ',', ';', '\n', '\r\n', '\t', "'", '\\', '{', '=', '\u0007', '#'];
const dirtyText = fc
  .array(fc.oneof(fc.constantFrom(...special), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    maxLength: 4,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''));

const texts =
  'name email phone ident ident_type ident_country_code fax org_name street city zip state country_code auth_info legacy_id creator_str updator_str identity_verification';
const dirtyContact = fc.record(
  Object.fromEntries(texts.split(' ').map((name) => [name, dirtyText])),
  { requiredKeys: [] },
) as fc.Arbitrary<FileRow>;

const jsonOf = (value: fc.Arbitrary<unknown>) => value.map((one) => JSON.stringify(one));
const lists = fc.record({
  statuses: jsonOf(fc.array(dirtyText, { maxLength: 3 })),
  status_notes: jsonOf(fc.dictionary(dirtyText, dirtyText, { maxKeys: 2 })),
  email_verification: jsonOf(
    fc.record({
      id: dirtyText,
      method: dirtyText,
      verified_at: fc.constant('2026-01-02T03:04:05Z'),
    }),
  ),
});

const codes = ['ALPHA', 'B', 'ÕU & KO', 'X-1_2'];
const code = fc.constantFrom(...codes);
const roles = ['registrant', 'admin', 'tech'];

const registries: fc.Arbitrary<Files> = fc
  .record({
    contacts: fc.array(fc.tuple(code, dirtyContact, lists), { maxLength: 40 }),
    domains: fc.array(
      fc.tuple(code, fc.array(fc.tuple(fc.nat(50), fc.constantFrom(...roles)), { maxLength: 6 })),
      { maxLength: 40 },
    ),
    auctions: fc.array(fc.tuple(fc.constantFrom(...auctionStatuses), dirtyText), { maxLength: 20 }),
    disputes: fc.array(fc.tuple(fc.nat(3), dirtyText, fc.boolean()), { maxLength: 20 }),
    reserved: fc.array(dirtyText, { maxLength: 20 }),
    users: fc.array(
      fc.tuple(
        code,
        dirtyText.filter((text) => text !== ''),
      ),
      { maxLength: 3 },
    ),
    certificates: fc.array(
      fc.tuple(
        fc.nat(3),
        fc.constantFrom('a', 'b', 'c'),
        dirtyText,
        fc.constantFrom('', '2020-01-01', '2999-01-01'),
      ),
      { maxLength: 6 },
    ),
  })
  .map(({ contacts, domains, auctions, disputes, reserved, users, certificates }) => ({
    registrars: codes.map((code, n) => row.registrar(n + 3, code, { name: ` ${code}\t` })),
    'allowed-ips': codes.map((registrar, n) => ({ registrar, address: `192.0.2.${n}` })),
    'api-users': users.map(([code, password], n) => row.user(`user ${n}`, code, { password })),
    certificates: certificates.map(([user, digit, common_name, expires_at]) =>
      row.certificate(`user ${user}`, digit.repeat(64), { common_name, expires_at }),
    ),
    contacts: contacts.map(([code, dirt, some], n) =>
      row.contact(n * 7 + 1, code, { ...dirt, ...some }),
    ),
    domains: domains.map(([code], n) => row.domain(`nimi${n}õ.ee`, code)),
    'domain-contacts': domains.flatMap(([, links], n) =>
      links.map(([contact, role]) => {
        const [code] = contacts[contact] ?? ['PUUDUB'];
        return row.link(`nimi${n}õ.ee`, `${code}:${contact * 7 + 1}`, role);
      }),
    ),
    reserved: reserved.map((password, n) => row.reserved(`kinni${n}.ee`, { password })),
    blocked: reserved.map((_, n) => row.blocked(`kinni${n}.ee`)),
    disputes: disputes.map(([year, comment, isClosed], n) =>
      row.dispute(`tuli${n % 4}.ee`, `201${year}-01-01`, {
        ...{ comment, created_at: `2010-01-01 00:00:${String(n).padStart(2, '0')}` },
        closed_at: isClosed ? '2020-01-01' : '',
      }),
    ),
    auctions: auctions.map(([status, code], n) =>
      row.auction(n, `oksjon${n % 7}.ee`, status, { uuid: uuidOf(n), registration_code: code }),
    ),
  }));

/** A file without rows needs no header here: it is left out. */
const withRows = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([, rows]) => rows.length > 0));

/** Writes a file from the directory, and restores it into a new registry. */
async function moveIn(directory: string): Promise<TestRegistry> {
  const registry = await tool.newRegistry();
  const file = path.join(await tool.newDirectory(), 'registry.sqlite');
  await registry.done(['move-in', directory, '--to', file]);
  expect((await registry.run(['reconcile', directory, file])).status).toBe(0);
  await registry.done(['restore', file, '--yes']);
  return registry;
}

test('any registry that moved in moves out, and into another that is equal to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.noShrink(registries), async (files) => {
      const [given, written] = [await tool.newDirectory(), await tool.newDirectory()];
      writeFiles(given, withRows(files));
      const one = await moveIn(given);
      await one.done(['move-out', written]);
      expect(await rowsOf(await moveIn(written))).toEqual(await rowsOf(one));
    }),
    { numRuns: 4 },
  );
});

test('a registry that never moved in moves out, and into another with its contacts in the same order', async () => {
  const one = await tool.newRegistry();
  const written = await tool.newDirectory();
  await fill(one);
  for (const username of ['ats', 'mari', 'tiit']) {
    await one.done(['api-user', 'add', '--registrar', 'ALPHA', '--username', username]);
  }
  // One has replaced its secret, another the password from a former registry.
  const since = `previous_secret_changed_at = '2026-01-02T03:04:05.678Z'`;
  one.edit(`update api_users set previous_secret_digest = printf('%064x', 1), ${since}
    where username = 'mari'`);
  one.edit(`update api_users set password_hash = '${await hashPassword('vana parool')}', ${since},
    previous_secret_valid_until = '2099-01-02T03:04:05.678Z' where username = 'tiit'`);
  await one.done(['system', 'add', 'epp']);
  await one.done(['certificate', 'bind', '--system', 'epp', '--fingerprint', 'a1'.repeat(32)]);
  const { files } = await one.done(['move-out', written]);
  expect(files['certificates.csv']).toBe(0);
  const other = await moveIn(written);
  const list = ['contact', 'list', '--registrar', 'ALPHA'];
  expect(await other.done(list)).toEqual(await one.done(list));
  expect((await rowsOf(other)).api_users).toEqual((await rowsOf(one)).api_users);
});

test('moves out to a directory that has none of the files, or replaces them', async () => {
  const registry = await tool.newRegistry();
  const directory = `${await tool.newDirectory()}/uus`;
  const { files } = await registry.done(['move-out', directory]);
  expect(Object.values(files)).toEqual(Array(11).fill(0));
  const again = await registry.run(['move-out', directory]);
  expect(again).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'registrars.csv already exists; name another directory or pass --replace',
    ),
  });
  await registry.done(['move-in', directory, '--dry-run']);
  await registry.done(['move-out', directory, '--replace']);
  expect(existsSync(`${directory}/move-in-report.csv`)).toBe(false);
});
