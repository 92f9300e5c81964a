import { and, eq, sql } from 'drizzle-orm';
import { type SystemRight, systems } from '../../drizzle/schema.ts';
import { parseAddressList } from '../address-list.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { LoginError, type LoginRefusal } from '../error.ts';
import { timeAfter } from '../time/clock.ts';
import type { Actor } from '../write.ts';

/** A claim to be one of the registry's systems. */
export interface SystemLogin {
  /** SHA-256 of the key, in hexadecimal. */
  keyDigest: string;
  address: string | undefined;
  at: Date;
}

/** A system that has presented the right key from an address that it may call from. */
export interface System {
  id: number;
  name: string;
  rights: SystemRight[];
  /** Of the key that it presented. */
  keyDigest: string;
}

/** For how long the old key works after the new one is first used. */
const overlapMilliseconds = 24 * 60 * 60 * 1000;

/**
 * The system with this key. One round trip, and another at the first use of a key that has replaced another: that one
 * ends a day later. Throws `unauthorized`, with the same words for a wrong key, a disabled system and another address.
 */
export async function getSystem(
  db: Database,
  { keyDigest, address, at }: SystemLogin,
): Promise<System> {
  const isKey = sql`(${systems.keyDigest} = ${keyDigest} or ${systems.previousKeyDigest} = ${keyDigest}
    and ifnull(${systems.previousKeyValidUntil} > ${at.toISOString()}, true))`;
  const [system] = await retried(() => db.select().from(systems).where(isKey));
  if (!system) throw refused('wrong secret');
  if (system.disabledAt !== null) throw refused('disabled');
  if (!parseAddressList(system.allowedIps).includes(address)) throw refused('address');
  const { id, name, rights, previousKeyDigest, previousKeyValidUntil } = system;
  const isFirstUse = previousKeyDigest !== null && previousKeyValidUntil === null;
  if (isFirstUse && system.keyDigest === keyDigest) {
    await db
      .update(systems)
      .set({ previousKeyValidUntil: timeAfter(at, overlapMilliseconds) })
      .where(and(eq(systems.id, id), eq(systems.keyDigest, keyDigest)));
  }
  return { id, name, rights, keyDigest };
}

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, 'Not authorized');
}

/** Whether the system may act for the registrar. */
export function mayActFor({ rights }: System, registrarCode: string): boolean {
  return rights.includes('act-for') || rights.includes(`act-for=${registrarCode}`);
}

/** As readers of the history see a system. */
export function systemActor({ id, name }: System): Actor {
  return { type: 'system', name: `System: ${name}`, keyHolder: `system:${id}` };
}
