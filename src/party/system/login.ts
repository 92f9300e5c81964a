import { sql } from 'drizzle-orm';
import { registrars, systems } from '../../../drizzle/schema.ts';
import { parseAddressList } from '../../base/address-list.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { LoginError, type LoginRefusal, RegistryError } from '../../base/error.ts';
import type { Actor } from '../../change/origin.ts';
import { endOfReplaced, hasSecret, isFirstUse, presentedCertificate } from '../credential/login.ts';
import type { ActingLogin, UserLogin } from '../registrar/login.ts';

interface SystemLogin
  extends Pick<UserLogin, 'secretDigest' | 'address' | 'certificate' | 'at' | 'onFirstPresented'> {
  registrarCode?: string | undefined;
}

export interface System extends Pick<typeof systems.$inferSelect, 'id' | 'name' | 'rights'> {
  registrar: typeof registrars.$inferSelect | null;
}

/**
 * Returns the system with this key. One round trip; two at the first use of a key that replaced another. Throws
 * `unauthorized`, with the same message for a wrong key, a disabled system, a missing certificate and another address.
 */
export async function getSystem(db: Database, login: SystemLogin): Promise<System> {
  const { secretDigest, at } = login;
  const [row] = await retry(() =>
    db
      .select({
        system: systems,
        registrar: registrars,
        certificateId: presentedCertificate('system', login.certificate, at),
        isFirstUse: isFirstUse('system', secretDigest),
      })
      .from(systems)
      .leftJoin(registrars, sql`${registrars.code} = ${login.registrarCode ?? null}`)
      .where(hasSecret('system', { secretDigest, passwordHash: null, at })),
  );
  if (!row) throw refused('wrong secret');
  const { system, registrar, certificateId } = row;
  if (system.disabledAt !== null) throw refused('disabled');
  if (system.isCertificateRequired && certificateId === null) throw refused('certificate');
  if (!parseAddressList(system.allowedIps).includes(login.address)) throw refused('address');
  if (row.isFirstUse) {
    await db
      .update(systems)
      .set({ previousKeyValidUntil: endOfReplaced(at) })
      .where(isFirstUse('system', secretDigest));
  }
  if (certificateId) login.onFirstPresented?.(certificateId);
  return { ...system, registrar };
}

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, 'Not authorized');
}

/**
 * Returns the system's login for the registrar. Throws `forbidden` with the reason: a system may know which registrars
 * exist.
 */
export function actingLogin(system: System, registrarCode: string, at: string): ActingLogin {
  const { id, name, rights, registrar } = system;
  const forbidden = (why: string) => new RegistryError('forbidden', why);
  if (!rights.includes('act-for') && !rights.includes(`act-for=${registrarCode}`)) {
    throw forbidden(`System ${name} may not act for this registrar`);
  }
  const label = `registrar ${JSON.stringify(registrarCode)}`;
  if (!registrar) throw forbidden(`There is no ${label}`);
  if (registrar.suspendedAt !== null) throw forbidden(`The ${label} is suspended`);
  const { id: registrarId, contactCount } = registrar;
  const actor = { ...systemActor(system), keyHolder: `system:${id}:registrar:${registrarId}` };
  return { at, caller: { registrarId, registrarCode, contactCount, actor } };
}

export function systemActor({ id, name }: System): Actor {
  return { type: 'system', name: `System: ${name}`, keyHolder: `system:${id}` };
}
