import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { apiUsers, certificates, systems } from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { timeAfter } from '../../../base/time/clock.ts';
import { type Changes, difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Holder, type HolderType, holders } from '../holder.ts';
import { isUnexpired } from '../login.ts';
import { changeHolder, type HolderState, holderText } from './holder.ts';

/** A client certificate; without name and end if only the fingerprint is known. */
export type Certificate = Pick<
  typeof certificates.$inferSelect,
  'fingerprint' | 'commonName' | 'expiresAt'
>;

export function holderOf(row: { username: string | null; system: string | null }): Holder {
  const { username, system } = row;
  return system === null ? { type: 'api_user', key: username! } : { type: 'system', key: system };
}

export function listCertificates(db: Database) {
  return db
    .select({
      ...getTableColumns(certificates),
      username: apiUsers.username,
      system: systems.name,
      isRequired: sql`coalesce(${apiUsers.isCertificateRequired}, ${systems.isCertificateRequired})`
        .mapWith(Boolean)
        .as('is_required'),
    })
    .from(certificates)
    .leftJoin(apiUsers, eq(apiUsers.id, certificates.apiUserId))
    .leftJoin(systems, eq(systems.id, certificates.systemId))
    .orderBy(asc(systems.name), asc(apiUsers.username), asc(certificates.expiresAt));
}

/** True if logins of the holder need a certificate, and no unexpired one is bound. */
export function lacksCertificate(type: HolderType, at: unknown): SQL<boolean> {
  const { table, certificatesOf } = holders[type];
  return sql`(${table.isCertificateRequired} and not exists (
    select 1 from ${certificates}
    where ${certificates[certificatesOf]} = ${table.id} and ${isUnexpired(at)}))`;
}

const warnedMilliseconds = 30 * 24 * 60 * 60 * 1000;

/**
 * Lists holders that require a certificate and whose last one has ended or ends within thirty days; null if none is
 * bound.
 */
export async function listEndingCertificates(db: Database, now: Date) {
  const endsAt = sql<string | null>`max(
    iif(${certificates.id} is null, null, ifnull(${certificates.expiresAt}, '9999')))`;
  const ofType = async (type: Holder['type']) => {
    const { table, key, certificatesOf } = holders[type];
    const accounts = await db
      .select({ key, endsAt })
      .from(table)
      .leftJoin(certificates, eq(certificates[certificatesOf], table.id))
      .where(eq(table.isCertificateRequired, true))
      .groupBy(table.id);
    return accounts.map((account) => ({
      holder: holderText({ type, key: account.key }),
      endsAt: account.endsAt,
    }));
  };
  const soon = timeAfter(now, warnedMilliseconds);
  const all = await Promise.all([ofType('api_user'), ofType('system')]);
  return all.flat().filter(({ endsAt }) => endsAt === null || endsAt <= soon);
}

/** Throws `invalid` for an expired certificate, `taken`, and `not_found`. */
export async function bindCertificate(
  operation: Operation,
  holder: Holder,
  certificate: Certificate,
): Promise<void> {
  const { fingerprint, expiresAt } = certificate;
  const createdAt = operation.origin.request.at.toISOString();
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw new RegistryError('invalid', `the certificate expired on ${expiresAt}`, 'file');
  }
  const { certificatesOf, option } = holders[holder.type];
  const bind = ({ account: { id }, bound, isWritten }: HolderState) => {
    if (bound.some((each) => each.fingerprint === fingerprint)) {
      const message = `this certificate is already bound to ${holderText(holder)}`;
      throw new RegistryError('taken', message, 'fingerprint');
    }
    const unbound = { apiUserId: null, systemId: null, presentedAt: null };
    const row = { ...unbound, ...certificate, createdAt, [certificatesOf]: id };
    return {
      changes: difference({}, { certificate: fingerprint }),
      consequences: [insertRows(operation.db, certificates, row, sql`where ${isWritten}`)],
    };
  };
  await changeHolder(operation, holder, bind, option);
}

/**
 * Removes the certificate, effective from the next request. Returns whether logins require one and no unexpired one is
 * left. Throws `not_found` for the holder or the certificate.
 */
export function unbindCertificate(
  operation: Operation,
  holder: Holder,
  fingerprint: string,
): Promise<{ isLockedOut: boolean }> {
  const unbind = ({ account, bound, valid, isWritten }: HolderState) => {
    const certificate = bound.find((each) => each.fingerprint === fingerprint);
    if (!certificate) {
      const message = `this certificate is not bound to ${holderText(holder)}`;
      throw new RegistryError('not_found', message, 'fingerprint');
    }
    const isLockedOut =
      account.isCertificateRequired && valid.every((each) => each === certificate);
    const isEnded = eq(certificates.id, certificate.id);
    return {
      changes: difference({ certificate: fingerprint }, { certificate: null }),
      consequences: [operation.db.delete(certificates).where(and(isEnded, isWritten))],
      also: { isLockedOut },
    };
  };
  return changeHolder(operation, holder, unbind, holders[holder.type].option);
}

/**
 * Sets whether logins require a bound certificate, effective from the next request. Also returns whether an unexpired
 * one was ever presented. Throws `invalid` while no unexpired one is bound, and `not_found`.
 */
export function requireCertificate(
  operation: Operation,
  holder: Holder,
  isRequired: boolean,
): Promise<{ changes: Changes; isPresented: boolean }> {
  const require = ({ valid }: HolderState) => {
    if (isRequired && valid.length === 0) {
      const message = `no unexpired certificate is bound to ${holderText(holder)}`;
      throw new RegistryError('invalid', message);
    }
    const isPresented = valid.some(({ presentedAt }) => presentedAt !== null);
    return { values: { isCertificateRequired: isRequired }, also: { isPresented } };
  };
  return changeHolder(operation, holder, require, holders[holder.type].option);
}
