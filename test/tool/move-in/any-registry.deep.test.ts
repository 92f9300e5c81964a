import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auctionStatuses } from '../../../drizzle/schema.ts';
import { startTool } from '../tool.ts';
import { type FileRow, type Files, row, uuidOf, writeFiles } from './files.ts';

const tool = startTool();

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

test('any registry moves in, and the backup that restores it is equal to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.noShrink(registries), async (files) => {
      const [directory, work] = [await tool.newDirectory(), await tool.newDirectory()];
      writeFiles(directory, withRows(files));
      const moved = path.join(work, 'moved.sqlite');
      const registry = await tool.newRegistry();
      await registry.done(['move-in', directory, '--to', moved, '--skip-invalid']);
      await registry.done(['restore', moved, '--yes']);
      const backup = path.join(work, 'backup.sqlite');
      await registry.done(['backup', 'write', backup]);
      for (const file of [moved, backup]) {
        expect((await registry.run(['reconcile', directory, file])).status).toBe(0);
      }
    }),
    { numRuns: 4 },
  );
});
