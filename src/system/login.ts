import { and, eq, sql } from 'drizzle-orm';
import { registrars, type SystemRight, systems } from '../../drizzle/schema.ts';
import { parseAddressList } from '../address-list.ts';
import { presentedCertificate } from '../certificate/presented.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { LoginError, type LoginRefusal, RegistryError } from '../error.ts';
import type { ActingLogin, UserLogin } from '../registrar/login.ts';
import { timeAfter } from '../time/clock.ts';
import type { Actor } from '../write.ts';

/** A claim to be one of the registry's systems. */
export interface SystemLogin
  extends Pick<UserLogin, 'address' | 'certificate' | 'onFirstPresented'> {
  /** SHA-256 of the key, in hexadecimal. */
  keyDigest: string;
  at: Date;
  /** The code of the registrar that it would act for. */
  registrarCode?: string | undefined;
}

/** A system that has presented the right key from an address that it may call from. */
export interface System {
  id: number;
  name: string;
  rights: SystemRight[];
  /** Of the key that it presented. */
  keyDigest: string;
  /** The registrar that it would act for; null if there is none with this code. */
  registrar: typeof registrars.$inferSelect | null;
}

/** For how long the old key works after the new one is first used. */
const overlapMilliseconds = 24 * 60 * 60 * 1000;

/**
 * The system with this key. One round trip, and another at the first use of a key that has replaced another: that one
 * ends a day later. Throws `unauthorized`, with the same words for a wrong key, a disabled system, a lacking certificate
 * and another address.
 */
export async function getSystem(
  db: Database,
  { keyDigest, address, certificate, at, registrarCode, onFirstPresented }: SystemLogin,
): Promise<System> {
  const isKey = sql`(${systems.keyDigest} = ${keyDigest} or ${systems.previousKeyDigest} = ${keyDigest}
    and ifnull(${systems.previousKeyValidUntil} > ${at.toISOString()}, true))`;
  const isItsCertificate = sql`system_id = ${systems.id}`;
  const presented = presentedCertificate(isItsCertificate, certificate, at.toISOString());
  const [found] = await retried(() =>
    db
      .select({ system: systems, registrar: registrars, presented })
      .from(systems)
      .leftJoin(registrars, sql`${registrars.code} = ${registrarCode ?? null}`)
      .where(isKey),
  );
  if (!found) throw refused('wrong secret');
  const { system } = found;
  if (system.disabledAt !== null) throw refused('disabled');
  if (system.isCertificateRequired && found.presented === null) throw refused('certificate');
  if (!parseAddressList(system.allowedIps).includes(address)) throw refused('address');
  const { id, name, rights, previousKeyDigest, previousKeyValidUntil } = system;
  const isFirstUse = previousKeyDigest !== null && previousKeyValidUntil === null;
  if (isFirstUse && system.keyDigest === keyDigest) {
    await db
      .update(systems)
      .set({ previousKeyValidUntil: timeAfter(at, overlapMilliseconds) })
      .where(and(eq(systems.id, id), eq(systems.keyDigest, keyDigest)));
  }
  if (found.presented) onFirstPresented?.(found.presented);
  return { id, name, rights, keyDigest, registrar: found.registrar };
}

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, 'Not authorized');
}

/**
 * The login of the system for the registrar that it named. Throws `forbidden` for one that it may not act for, and
 * `unauthorized` for an unknown or suspended one.
 */
export function actingLogin(system: System, registrarCode: string, at: Date): ActingLogin {
  const { id, name, rights, registrar } = system;
  if (!rights.includes('act-for') && !rights.includes(`act-for=${registrarCode}`)) {
    throw new RegistryError('forbidden', `System ${name} may not act for this registrar`);
  }
  if (!registrar) throw refused('unknown registrar');
  if (registrar.suspendedAt !== null) throw refused('suspended');
  const actor = {
    ...systemActor(system),
    keyHolder: `system:${id}:registrar:${registrar.id}`,
  };
  const caller = { registrarId: registrar.id, registrarCode, contactCount: registrar.contactCount };
  return { at: at.toISOString(), caller: { ...caller, actor } };
}

/** As readers of the history see a system. */
export function systemActor({ id, name }: System): Actor {
  return { type: 'system', name: `System: ${name}`, keyHolder: `system:${id}` };
}
