import { and, asc, eq, sql } from 'drizzle-orm';
import { registrars, webhooks } from '../../drizzle/schema.ts';
import { parseAddressList } from '../address-list.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import { RegistryError } from '../error.ts';
import { type Changes, difference, recordIfChanged } from '../history/changes.ts';
import { textField } from '../text/field.ts';
import { generateWebhookSecret } from '../webhook/signature.ts';
import type { ChangeOptions, Origin } from '../write.ts';

/** A registrar as the operator sees it. */
export type Registrar = Pick<
  typeof registrars.$inferSelect,
  'code' | 'name' | 'allowedIps' | 'contactCount' | 'createdAt' | 'updatedAt'
> & {
  /** Where its notifications are pushed to; null for nowhere. */
  webhookUrl: string | null;
};

const registrarColumns = {
  code: registrars.code,
  name: registrars.name,
  allowedIps: registrars.allowedIps,
  contactCount: registrars.contactCount,
  webhookUrl: webhooks.url,
  createdAt: registrars.createdAt,
  updatedAt: registrars.updatedAt,
};

/** Every registrar, by code. */
export async function listRegistrars(db: Database): Promise<Registrar[]> {
  return db
    .select(registrarColumns)
    .from(registrars)
    .leftJoin(webhooks, eq(webhooks.registrarId, registrars.id))
    .orderBy(asc(registrars.code));
}

/** The registrar with this code. Throws `not_found`. */
export async function getRegistrar(db: Database, code: string): Promise<Registrar> {
  const [registrar] = await db
    .select(registrarColumns)
    .from(registrars)
    .leftJoin(webhooks, eq(webhooks.registrarId, registrars.id))
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
  const at = origin.request.at.toISOString();
  const registrar = {
    ...described,
    contactCount: 0,
    webhookUrl: null,
    createdAt: at,
    updatedAt: at,
  };
  const taken = () => new RegistryError('taken', `there is already a registrar ${code}`, 'code');
  const [same] = await db
    .select({ id: registrars.id })
    .from(registrars)
    .where(eq(registrars.code, code));
  if (same) throw taken();
  if (isDryRun) return registrar;
  try {
    await db.batch([
      db.insert(registrars).values({ ...described, createdAt: at, updatedAt: at }),
      recordIfChanged(db, origin, subjectOf(code), 'create', difference({}, described)),
    ]);
  } catch (error) {
    if (isUniqueViolation(error, 'registrars.code')) throw taken();
    throw error;
  }
  return registrar;
}

/** What may change of a registrar; a field that is undefined stays. */
export interface RegistrarChanges {
  name?: string | undefined;
  allowedIps?: string[] | undefined;
  /** From `parseWebhookUrl`; null removes the webhook. */
  webhookUrl?: string | null | undefined;
}

/**
 * Changes a registrar. A webhook's URL, even the one that it has, comes with a new secret, which is returned, this once;
 * a dry run returns none. Throws `not_found`, `invalid`, `changed_meanwhile`.
 */
export async function updateRegistrar(
  db: Database,
  origin: Origin,
  code: string,
  wanted: RegistrarChanges,
  { isDryRun = false }: ChangeOptions = {},
): Promise<{ registrar: Registrar; changes: Changes; webhookSecret?: string }> {
  const registrar = await getRegistrar(db, code);
  const { webhookUrl = registrar.webhookUrl } = wanted;
  const webhookSecret = wanted.webhookUrl ? generateWebhookSecret() : undefined;
  const values = {
    name: wanted.name === undefined ? registrar.name : registrarName(wanted.name),
    allowedIps: wanted.allowedIps ? addressEntries(wanted.allowedIps) : registrar.allowedIps,
  };
  const changes = difference(registrar, { ...values, webhookUrl, webhookSecret });
  if (Object.keys(changes).length === 0) return { registrar, changes };
  const updatedAt = origin.request.at.toISOString();
  const updated = { ...registrar, ...values, webhookUrl, updatedAt };
  if (isDryRun) return { registrar: updated, changes };
  const [written] = await db.batch([
    db
      .update(registrars)
      .set({ ...values, updatedAt })
      .where(isAsSeen(registrar)),
    recordIfChanged(db, origin, subjectOf(code), 'update', changes),
    ...webhookStatements(db, updated, webhookSecret),
  ]);
  if (written.meta.changes > 0) {
    return { registrar: updated, changes, ...(webhookSecret && { webhookSecret }) };
  }
  throw new RegistryError(
    'changed_meanwhile',
    `somebody else changed registrar ${code} just now; try again`,
  );
}

function isAsSeen({ code, name, allowedIps, webhookUrl }: Registrar) {
  return and(
    eq(registrars.code, code),
    eq(registrars.name, name),
    eq(registrars.allowedIps, allowedIps),
    sql`(select url from ${webhooks} where registrar_id = ${registrars.id}) is ${webhookUrl}`,
  );
}

/** The statements that make the webhook what it should be; they follow the history and write if that has (`changes()`). */
function webhookStatements(db: Database, registrar: Registrar, secret: string | undefined) {
  const { code, webhookUrl: url, updatedAt } = registrar;
  if (url === null) {
    const id = sql`(select id from ${registrars} where code = ${code})`;
    return [db.delete(webhooks).where(sql`changes() > 0 and registrar_id = ${id}`)];
  }
  if (secret === undefined) return [];
  const webhook = sql`select id, ${url}, ${secret}, ${updatedAt} from ${registrars} where code = ${code} and changes() > 0`;
  const set = { url, secret, createdAt: updatedAt };
  return [
    db.insert(webhooks).select(webhook).onConflictDoUpdate({ target: webhooks.registrarId, set }),
  ];
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
