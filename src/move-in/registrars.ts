import { sql } from 'drizzle-orm';
import {
  apiUsers,
  contactBlocks,
  contacts,
  domains,
  idempotencyKeys,
  notifications,
  registrars,
  webhookDeliveries,
  webhooks,
} from '../../drizzle/schema.ts';
import { parseAddressList } from '../address-list.ts';
import { hashPassword, isPasswordOf, passwordHashPattern } from '../registrar/password.ts';
import { columnOf, elementsOf, type Form, type Kind, registrarOf, timesOf } from './kind.ts';
import {
  instant,
  list,
  positiveInteger,
  presentText,
  refusal,
  registrarCode,
  requiredInstant,
  username,
} from './reader.ts';

export const registrarKind: Kind = {
  name: 'registrars',
  subject: 'registrar',
  table: registrars,
  columns: {
    id: columnOf(registrars, 'id', (text, note) =>
      text === null ? undefined : positiveInteger(text, note),
    ),
    code: columnOf(registrars, 'code', registrarCode),
    name: columnOf(registrars, 'name', presentText),
    allowed_ips: {
      ...columnOf(registrars, 'allowedIps', list),
      text: sql`(select json_group_array(value) from (
        select distinct value from json_each(${registrars.allowedIps}) order by value))`,
    },
    created_at: columnOf(registrars, 'createdAt', requiredInstant),
    updated_at: columnOf(registrars, 'updatedAt', requiredInstant),
  },
  key: ['code'],
  fixed: ['id'],
  unique: [{ columns: ['id'] }],
  missing: timesOf,
  heldBy: sql`coalesce(
    (select 'contact ' || code from ${contacts} where ${contacts.registrarId} = ${registrars.id} limit 1),
    (select 'domain ' || name from ${domains} where ${domains.registrarId} = ${registrars.id} limit 1),
    (select 'API user ' || username from ${apiUsers} where ${apiUsers.registrarId} = ${registrars.id} limit 1))`,
  goingAlong: (db, isGoing) => {
    const going = sql`(select ${registrars.id} from ${registrars} where ${isGoing})`;
    const owned = [webhookDeliveries, webhooks, notifications, contactBlocks];
    return [
      ...owned.map((table) => db.delete(table).where(sql`${table.registrarId} in ${going}`)),
      db.delete(idempotencyKeys).where(sql`${idempotencyKeys.caller} in (
        select 'registrar:' || ${registrars.id} from ${registrars} where ${isGoing})`),
    ];
  },
  part: {
    file: 'allowed-ips',
    columns: { registrar: registrarCode, address },
    fills: ['allowed_ips'],
    ifEmpty: { means: 'open to every address', closed: '0.0.0.0/32' },
    place: ({ registrar, address }) => ({
      key: registrar ?? null,
      column: 'allowed_ips',
      element: address ?? null,
    }),
    rows: (form) =>
      elementsOf(form, 'allowed_ips').map((address) => ({ registrar: form.code!, address })),
  },
};

function address(text: string | null): string {
  const trimmed = (text ?? '').trim();
  try {
    parseAddressList([trimmed]);
    return trimmed;
  } catch {
    throw refusal('is not an address or CIDR range');
  }
}

export const apiUserKind: Kind = {
  name: 'api-users',
  subject: 'api_user',
  table: apiUsers,
  columns: {
    registrar: registrarOf(apiUsers.registrarId),
    username: columnOf(apiUsers, 'username', username),
    password: { ...columnOf(apiUsers, 'passwordHash'), isSecret: true },
    secret_digest: { ...columnOf(apiUsers, 'secretDigest', secretDigest), isSecret: true },
    disabled_at: columnOf(apiUsers, 'disabledAt', instant),
    created_at: columnOf(apiUsers, 'createdAt', requiredInstant),
    updated_at: columnOf(apiUsers, 'updatedAt', requiredInstant),
  },
  key: ['username'],
  required: ['registrar'],
  unique: [{ columns: ['secret_digest'] }],
  missing: timesOf,
  settle: withOneCredential,
  unfit: ({ password, secret_digest }) =>
    password || secret_digest ? undefined : { column: 'password', why: 'is missing' },
  check({ password, secret_digest }) {
    if (password === undefined && secret_digest === undefined) return;
    if (password && secret_digest) throw refusal('has both a password and the digest of a secret');
    if (!password && !secret_digest) throw refusal('has no password');
  },
};

/** A password is the one on record, or is hashed now. What is given replaces a credential of the other sort. */
async function withOneCredential(form: Form, here: Form | null): Promise<Form> {
  const { password, secret_digest } = form;
  if (password && secret_digest) {
    const other = here?.password ? 'password' : 'secret_digest';
    return withOneCredential({ ...form, [other]: null }, here);
  }
  if (!password || passwordHashPattern.test(password)) return form;
  const stored = here?.password;
  const isSame = stored && (await isPasswordOf(stored, password));
  return { ...form, password: isSame ? stored : await hashPassword(password) };
}

function secretDigest(text: string | null): string | null {
  if (text === null || /^[0-9a-f]{64}$/.test(text)) return text;
  throw refusal('is not the SHA-256 of a secret, in hexadecimal');
}
