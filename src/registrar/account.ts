import { and, asc, eq } from 'drizzle-orm';
import { registrars } from '../../drizzle/schema.ts';
import { parseAddressList } from '../address-list.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import type { ChangeOptions } from '../dry-run.ts';
import { RegistryError } from '../error.ts';
import { type Changes, difference, type Origin, recordIfChanged } from '../history.ts';
import { textField } from '../text-field.ts';

/** A registrar as the operator sees it. */
export type Registrar = Pick<
  typeof registrars.$inferSelect,
  'code' | 'name' | 'allowedIps' | 'contactCount' | 'createdAt' | 'updatedAt'
>;

const registrarColumns = {
  code: registrars.code,
  name: registrars.name,
  allowedIps: registrars.allowedIps,
  contactCount: registrars.contactCount,
  createdAt: registrars.createdAt,
  updatedAt: registrars.updatedAt,
};

/** Every registrar, by code. */
export async function listRegistrars(db: Database): Promise<Registrar[]> {
  return db.select(registrarColumns).from(registrars).orderBy(asc(registrars.code));
}

/** The registrar with this code. Throws `not_found`. */
export async function getRegistrar(db: Database, code: string): Promise<Registrar> {
  const [registrar] = await db
    .select(registrarColumns)
    .from(registrars)
    .where(eq(registrars.code, code));
  if (!registrar) throw unknownRegistrar(code);
  return registrar;
}

export function unknownRegistrar(code: string): RegistryError {
  return new RegistryError(
    'not_found',
    `there is no registrar ${JSON.stringify(code)}`,
    'registrar',
  );
}

/** Leaves room for a suffix of 67 characters in a contact code. */
const maximumRegistrarCodeLength = 32;

/**
 * Adds a registrar; `allowedIps` are addresses and CIDR ranges, and an empty list allows every address.
 * Throws `invalid`, `taken`.
 */
export async function addRegistrar(
  db: Database,
  origin: Origin,
  wanted: Pick<Registrar, 'code' | 'name' | 'allowedIps'>,
  { isDryRun = false }: ChangeOptions = {},
): Promise<Registrar> {
  const { code } = wanted;
  if (!/^[A-Z0-9_-]+$/.test(code) || code.length > maximumRegistrarCodeLength) {
    throw new RegistryError(
      'invalid',
      `${JSON.stringify(code)} is not a registrar code: use 1 to ${maximumRegistrarCodeLength} of A-Z, 0-9, _ and -`,
      'code',
    );
  }
  const described = {
    code,
    name: registrarName(wanted.name),
    allowedIps: addressEntries(wanted.allowedIps),
  };
  const at = origin.at.toISOString();
  const registrar = { ...described, contactCount: 0, createdAt: at, updatedAt: at };
  const taken = () => new RegistryError('taken', `there is already a registrar ${code}`, 'code');
  const [same] = await db
    .select({ id: registrars.id })
    .from(registrars)
    .where(eq(registrars.code, code));
  if (same) throw taken();
  if (isDryRun) return registrar;
  try {
    await db.batch([
      db.insert(registrars).values(registrar),
      recordIfChanged(db, origin, subjectOf(code), 'create', difference({}, described)),
    ]);
  } catch (error) {
    if (isUniqueViolation(error, 'registrars.code')) throw taken();
    throw error;
  }
  return registrar;
}

/**
 * Changes a registrar's name or replaces its allow-list; a field that is undefined stays. Throws `not_found`,
 * `invalid`, `changed_meanwhile`.
 */
export async function updateRegistrar(
  db: Database,
  origin: Origin,
  code: string,
  wanted: { name?: string | undefined; allowedIps?: string[] | undefined },
  { isDryRun = false }: ChangeOptions = {},
): Promise<{ registrar: Registrar; changes: Changes }> {
  const registrar = await getRegistrar(db, code);
  const values = {
    name: wanted.name === undefined ? registrar.name : registrarName(wanted.name),
    allowedIps: wanted.allowedIps ? addressEntries(wanted.allowedIps) : registrar.allowedIps,
  };
  const changes = difference(registrar, values);
  if (Object.keys(changes).length === 0) return { registrar, changes };
  const written = { ...values, updatedAt: origin.at.toISOString() };
  if (!isDryRun) {
    const [updated] = await db.batch([
      db
        .update(registrars)
        .set(written)
        .where(
          and(
            eq(registrars.code, code),
            eq(registrars.name, registrar.name),
            eq(registrars.allowedIps, registrar.allowedIps),
          ),
        ),
      recordIfChanged(db, origin, subjectOf(code), 'update', changes),
    ]);
    if (updated.meta.changes === 0) {
      throw new RegistryError(
        'changed_meanwhile',
        `somebody else changed registrar ${code} just now; try again`,
      );
    }
  }
  return { registrar: { ...registrar, ...written }, changes };
}

function subjectOf(code: string) {
  return { type: 'registrar', key: code } as const;
}

const nameMessage = 'the name must have 1 to 255 characters and no control characters';
const nameField = textField(nameMessage, 255);

function registrarName(text: string): string {
  const name = nameField.safeParse(text);
  if (name.success) return name.data;
  throw new RegistryError('invalid', nameMessage, 'name');
}

function addressEntries(texts: string[]): string[] {
  const entries = [...new Set(texts.map((entry) => entry.trim()))];
  try {
    parseAddressList(entries);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new RegistryError('invalid', error.message, 'allow_ip');
  }
  return entries;
}
