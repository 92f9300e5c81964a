import { eq, sql } from 'drizzle-orm';
import { apiUsers, certificates, registrars, systems } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { difference, snakeCase } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type ChangesOfMany, changeEach, changesOfRows } from '../../../change/write-many.ts';
import { holders } from '../../../party/credential/holder.ts';

/** The properties that decide about access. */
export interface Account {
  subject: keyof typeof tables;
  key: string;
  /** The key in both databases, where ids may differ. */
  name: string;
  row: { id: number } & Record<string, unknown>;
  certificates: { id: number; fingerprint: string }[];
}

const tables = { registrar: registrars, api_user: apiUsers, system: systems };

export async function readAccounts(db: Database): Promise<Account[]> {
  const [allRegistrars, users, allSystems, bound] = await db.batch([
    db.select().from(registrars),
    db.select().from(apiUsers),
    db.select().from(systems),
    db.select().from(certificates),
  ]);
  const account = (subject: Account['subject'], key: string, name: string, row: Account['row']) => {
    const isOwn = (one: (typeof bound)[number]) =>
      subject !== 'registrar' && one[holders[subject].certificatesOf] === row.id;
    return { subject, key, name, row, certificates: bound.filter(isOwn) };
  };
  const codes = new Map(allRegistrars.map(({ id, code }) => [id, code]));
  const nameOf = ({ username, registrarId }: (typeof users)[number]) =>
    `API user ${username} of ${codes.get(registrarId)}`;
  return [
    ...allRegistrars.map((row) => account('registrar', row.code, `registrar ${row.code}`, row)),
    ...users.map((row) => account('api_user', row.username, nameOf(row), row)),
    ...allSystems.map((row) => account('system', row.name, `system ${row.name}`, row)),
  ];
}

/**
 * Keeps access as strict as before: disables accounts that the database no longer had, unbinds their certificates, and keeps the
 * later of two secrets. Returns each change, and whether the account was missing.
 */
export async function keepAccess(operation: Operation, accounts: readonly Account[]) {
  const { db, origin } = operation;
  const at = origin.request.at.toISOString();
  const before = new Map(accounts.map((account) => [account.name, account]));
  const writes: ChangesOfMany[] = [];
  const kept = [];
  for (const account of await readAccounts(db)) {
    const { subject, key, name, row } = account;
    const known = before.get(name);
    const table = tables[subject] as typeof apiUsers;
    const values = stricterValues(account, known, at);
    const update = db
      .update(table)
      .set({ ...values, updatedAt: at })
      .where(eq(table.id, row.id));
    const bound = new Set((known ?? account).certificates.map(({ fingerprint }) => fingerprint));
    const unbound = account.certificates.filter(({ fingerprint }) => !bound.has(fingerprint));
    const steps = [
      { changes: difference(row, values), statement: update },
      ...unbound.map(({ id, fingerprint }) => ({
        changes: difference({ certificate: fingerprint }, { certificate: null }),
        statement: db.delete(certificates).where(eq(certificates.id, id)),
      })),
    ].filter(({ changes }) => Object.keys(changes).length > 0);
    for (const { changes, statement } of steps) {
      const entry = sql`select ${JSON.stringify({ key, changes })} as row`;
      writes.push(changesOfRows(subject, 'update', entry, [statement]));
    }
    const fields = steps.flatMap(({ changes }) => Object.keys(changes).map(snakeCase));
    if (fields.length > 0) kept.push({ name, fields, isGone: !known });
  }
  await changeEach(operation, { kept: writes });
  return kept;
}

/** Keeps the account as strict as before. Closes a new one. */
function stricterValues(
  { subject, row }: Account,
  known: Account | undefined,
  at: string,
): Record<string, unknown> {
  if (!known) return subject === 'registrar' ? {} : { disabledAt: row.disabledAt ?? at };
  const closing = ['suspendedAt', 'disabledAt', 'isCertificateRequired'];
  const columns = closing.filter((column) => known.row[column] && !row[column]);
  // A registrar without addresses may call from anywhere.
  const isOpen = (list: string[]) => subject === 'registrar' && list.length === 0;
  for (const column of ['allowedIps', 'rights']) {
    const [file, here] = [row[column], known.row[column]] as (string[] | undefined)[];
    if (!file || !here || isOpen(here)) continue;
    if (isOpen(file) || file.some((entry) => !here.includes(entry))) columns.push(column);
  }
  const since = ({ secretChangedAt, keyChangedAt }: Account['row']) =>
    Date.parse(String(secretChangedAt ?? keyChangedAt)) || 0;
  // A future time proves nothing: a former registry may have written it.
  const isFilesLater = since(row) > since(known.row) && since(row) <= Date.parse(at);
  if (!isFilesLater) {
    columns.push(
      ...Object.keys(row).filter((column) => /^(previous)?(secret|password|key)/i.test(column)),
    );
  }
  return Object.fromEntries(columns.map((column) => [column, known.row[column]]));
}
