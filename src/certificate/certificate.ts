import { and, asc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import { apiUsers, certificates, systems } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { type Changes, difference } from '../history/changes.ts';
import { timeAfter } from '../time/clock.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { type Holder, holders, holderText, unknownHolder } from './holder.ts';

/** A client certificate; without name and end if only its fingerprint is known. */
export type Certificate = Pick<
  typeof certificates.$inferSelect,
  'fingerprint' | 'commonName' | 'expiresAt'
>;

/** The holder of a certificate that `listCertificates` has listed. */
export function holderOf(one: { username: string | null; system: string | null }): Holder {
  const { username, system } = one;
  return system === null ? { type: 'api_user', key: username! } : { type: 'system', key: system };
}

const bound = {
  fingerprint: certificates.fingerprint,
  commonName: certificates.commonName,
  expiresAt: certificates.expiresAt,
  presentedAt: certificates.presentedAt,
};

/** Every bound certificate with its holder and whether that one's logins need one, by the name of the holder. */
export function listCertificates(db: Database) {
  return db
    .select({
      ...bound,
      username: apiUsers.username,
      system: systems.name,
      isRequired: sql`coalesce(${apiUsers.isCertificateRequired}, ${systems.isCertificateRequired})`
        .mapWith(Boolean)
        .as('is_required'),
      createdAt: certificates.createdAt,
    })
    .from(certificates)
    .leftJoin(apiUsers, eq(apiUsers.id, certificates.apiUserId))
    .leftJoin(systems, eq(systems.id, certificates.systemId))
    .orderBy(asc(systems.name), asc(apiUsers.username), asc(certificates.expiresAt));
}

const warnedMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Those whose logins need a certificate, and whose last one has ended or ends within thirty days; null if none is bound. */
export async function listEndingCertificates(db: Database, now: Date) {
  const endsAt = sql<string | null>`max(
    iif(${certificates.id} is null, null, ifnull(${certificates.expiresAt}, '9999')))`;
  const ofType = async (type: Holder['type']) => {
    const { table, key, field } = holders[type];
    const needing = await db
      .select({ key, endsAt })
      .from(table)
      .leftJoin(certificates, eq(certificates[field], table.id))
      .where(eq(table.isCertificateRequired, true))
      .groupBy(table.id);
    return needing.map((one) => ({
      holder: holderText({ type, key: one.key }),
      endsAt: one.endsAt,
    }));
  };
  const soon = timeAfter(now, warnedMilliseconds);
  const all = await Promise.all([ofType('api_user'), ofType('system')]);
  return all.flat().filter((one) => one.endsAt === null || one.endsAt <= soon);
}

/**
 * Binds the certificate to the holder: from now on, a login with it is noted, and where one is required, it suffices.
 * Throws `invalid` for one that has expired, `taken`, and `not_found` for the holder.
 */
export async function bindCertificate(
  db: Database,
  origin: Origin,
  holder: Holder,
  { fingerprint, commonName, expiresAt }: Certificate,
  options: ChangeOptions = {},
): Promise<void> {
  const createdAt = origin.request.at.toISOString();
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw new RegistryError('invalid', `the certificate has expired on ${expiresAt}`, 'file');
  }
  const message = `this certificate is already bound to ${holderText(holder)}`;
  const taken = new RegistryError('taken', message, 'fingerprint');
  await changeHolder(db, origin, holder, options, ({ id, bound }, isThere) => {
    if (bound.some((one) => one.fingerprint === fingerprint)) throw taken;
    const row = {
      apiUserId: null,
      systemId: null,
      [holders[holder.type].field]: id,
      fingerprint,
      commonName,
      expiresAt,
      presentedAt: null,
      createdAt,
    };
    return {
      changes: difference({}, { certificate: fingerprint }),
      onlyIf: isThere,
      statements: (isWritten) => [insertRows(db, certificates, row, sql`where ${isWritten}`)],
    };
  });
}

/**
 * Ends the certificate for the holder, effective from the next request. Returns whether the holder's logins need one and
 * no unexpired one is left. Throws `not_found` for either.
 */
export async function unbindCertificate(
  db: Database,
  origin: Origin,
  holder: Holder,
  fingerprint: string,
  options: ChangeOptions = {},
): Promise<boolean> {
  let isLockedOut = false;
  await changeHolder(db, origin, holder, options, ({ bound, isRequired }, isThere, isBound) => {
    if (!bound.some((one) => one.fingerprint === fingerprint)) {
      const message = `this certificate is not bound to ${holderText(holder)}`;
      throw new RegistryError('not_found', message, 'fingerprint');
    }
    const left = unexpired(bound, origin).filter((one) => one.fingerprint !== fingerprint);
    isLockedOut = isRequired && left.length === 0;
    const isThis = and(isBound, eq(certificates.fingerprint, fingerprint));
    return {
      changes: difference({ certificate: fingerprint }, { certificate: null }),
      onlyIf: sql`${isThere} and exists (select 1 from ${certificates} where ${isThis})`,
      statements: (isWritten) => [db.delete(certificates).where(and(isThis, isWritten))],
    };
  });
  return isLockedOut;
}

/**
 * Has every login of the holder need a bound certificate, or none again, effective from the next request. Returns the
 * changed fields, and whether the holder has presented one yet. Throws `invalid` while no unexpired one is bound, and
 * `not_found`.
 */
export async function requireCertificate(
  db: Database,
  origin: Origin,
  holder: Holder,
  isRequired: boolean,
  options: ChangeOptions = {},
): Promise<{ changes: Changes; isPresented: boolean }> {
  const { table } = holders[holder.type];
  const at = origin.request.at.toISOString();
  let isPresented = false;
  const changes = await changeHolder(db, origin, holder, options, (seen, isThere, isBound) => {
    const valid = unexpired(seen.bound, origin);
    if (isRequired && valid.length === 0) {
      const message = `no unexpired certificate is bound to ${holderText(holder)}`;
      throw new RegistryError('invalid', message);
    }
    isPresented = valid.some(({ presentedAt }) => presentedAt !== null);
    const row = { isCertificateRequired: isRequired };
    const isUnexpired = or(isNull(certificates.expiresAt), sql`${certificates.expiresAt} > ${at}`);
    const stands = sql`exists (select 1 from ${certificates} where ${and(isBound, isUnexpired)})`;
    return {
      changes: difference({ isCertificateRequired: seen.isRequired }, row),
      onlyIf: isRequired ? sql`${isThere} and ${stands}` : isThere,
      statements: (isWritten) => [
        db
          .update(table)
          .set({ ...row, updatedAt: at })
          .where(and(eq(table.id, seen.id), isWritten)),
      ],
    };
  });
  return { changes, isPresented };
}

function unexpired(bound: Seen['bound'], { request }: Origin) {
  const at = request.at.toISOString();
  return bound.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
}

type Seen = {
  id: number;
  isRequired: boolean;
  bound: (Certificate & { presentedAt: string | null })[];
};

/** Changes what the holder's history tells; returns the changed fields. Throws `not_found`. */
async function changeHolder(
  db: Database,
  origin: Origin,
  holder: Holder,
  options: ChangeOptions,
  changeOf: (
    seen: Seen,
    isThere: SQL,
    isBound: SQL,
  ) => Pick<Change<never>, 'changes' | 'onlyIf' | 'statements'>,
): Promise<Changes> {
  const { table, key, field } = holders[holder.type];
  const holderId = certificates[field];
  const isHolder = eq(key, holder.key);
  const look = () =>
    db.batch([
      db
        .select({ id: table.id, isRequired: table.isCertificateRequired })
        .from(table)
        .where(isHolder),
      db
        .select(bound)
        .from(certificates)
        .where(sql`${holderId} = (select ${table.id} from ${table} where ${isHolder})`),
    ]);
  const judge = ([[found], bound]: Awaited<ReturnType<typeof look>>): Change<Changes> => {
    if (!found) throw unknownHolder(holder, holder.type === 'system' ? 'system' : 'user');
    const isThere = sql`exists (select 1 from ${table} where id = ${found.id})`;
    const isBound = eq(holderId, found.id);
    const change = changeOf({ ...found, bound }, isThere, isBound);
    const { changes } = change;
    const same = { by: origin.actor, subject: holder, action: 'update' as const };
    if (Object.keys(changes).length === 0) return { ...same, changes, outcome: changes };
    return { ...same, ...change, outcome: changes };
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}
