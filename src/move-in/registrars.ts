import { sql } from 'drizzle-orm';
import {
  apiUsers,
  certificates,
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
import { insertRows, valuesInJson } from '../database/insert-rows.ts';
import { registrarIdOf } from '../registrar/account.ts';
import { hashPassword, isPasswordOf, passwordHashPattern } from '../registrar/password.ts';
import { columnOf, type Form, type Kind, registrarOf } from './kind.ts';
import {
  instant,
  list,
  type Note,
  positiveInteger,
  presentText,
  refusal,
  registrarCode,
  requiredInstant,
  sha256Of,
  username,
} from './reader.ts';

/** Nobody calls from it: without any address, a registrar would be open to all. */
const noAddress = '0.0.0.0/32';

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
  insert: (db, rows) => insertRows(db, registrars, valuesInJson(registrars), sql`from (${rows})`),
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
    ifEmpty: { meaning: 'open to every address', whenInDoubt: noAddress },
  },
};

function address(text: string | null, note: Note): string {
  const trimmed = (text ?? '').trim();
  try {
    parseAddressList([trimmed]);
    return trimmed;
  } catch {
    note(`is not an address or CIDR range; it is now ${noAddress}, which nobody has`);
    return noAddress;
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
    secret_digest: {
      ...columnOf(apiUsers, 'secretDigest', sha256Of('a secret')),
      isSecret: true,
    },
    secret_changed_at: columnOf(apiUsers, 'secretChangedAt', requiredInstant),
    previous_secret_digest: {
      ...columnOf(apiUsers, 'previousSecretDigest', sha256Of('a secret')),
      isSecret: true,
    },
    previous_secret_changed_at: columnOf(apiUsers, 'previousSecretChangedAt', instant),
    previous_secret_valid_until: columnOf(apiUsers, 'previousSecretValidUntil', instant),
    disabled_at: columnOf(apiUsers, 'disabledAt', instant),
    created_at: columnOf(apiUsers, 'createdAt', requiredInstant),
    updated_at: columnOf(apiUsers, 'updatedAt', requiredInstant),
  },
  key: ['username'],
  required: ['registrar'],
  unique: [{ columns: ['secret_digest'] }],
  heldBy: sql`(select 'certificate ' || username || ' ' || fingerprint from ${certificates}
    where ${certificates.apiUserId} = ${apiUsers.id} limit 1)`,
  // Certificates are rows of their own, and no file has what an operator requires.
  isAbout: sql`coalesce(entry.changes ->> '$.certificate', entry.changes ->> '$.isCertificateRequired') is null`,
  missing: (now) => ({ secret_changed_at: now.toISOString() }),
  carried: ({ disabled_at }) =>
    disabled_at
      ? [{ column: 'disabled_at', why: 'is disabled, so nobody can log in with it' }]
      : [],
  insert(db, rows) {
    const registrarId = registrarIdOf(sql`row ->> 'registrar'`);
    const user = { ...valuesInJson(apiUsers), registrarId };
    return insertRows(db, apiUsers, user, sql`from (${rows})`);
  },
  settle: async (form, here) => {
    const settled = withPossiblePrevious(await withOneCredential(form, here));
    // Files from another registry do not say how old a password is.
    const since = settled.secret_changed_at ?? settled.created_at;
    return since ? { ...settled, secret_changed_at: since } : settled;
  },
  unfit: ({ password, secret_digest }) =>
    password || secret_digest ? undefined : { column: 'password', why: 'is missing' },
  check({ password, secret_digest, previous_secret_changed_at }) {
    if (password === undefined && secret_digest === undefined) return;
    if (password && secret_digest && !previous_secret_changed_at) {
      throw refusal('has both a password and the digest of a secret');
    }
    if (!password && !secret_digest) throw refusal('has no password');
  },
};

/**
 * The form with as much of an earlier secret as a user can have: one beside a secret, with its times. Files from another
 * registry have none.
 */
function withPossiblePrevious(form: Form): Form {
  const { password, secret_digest: secret, previous_secret_digest: digest } = form;
  const { previous_secret_changed_at: since, previous_secret_valid_until: until } = form;
  const isPossible = secret && since && (password || digest);
  return {
    ...form,
    previous_secret_digest: (isPossible && !password && digest) || null,
    previous_secret_changed_at: (isPossible && since) || null,
    previous_secret_valid_until: (isPossible && until) || null,
  };
}

/**
 * A password is the one on record, or is hashed now. What is given replaces a credential of the other sort, unless it is
 * the password that a secret has replaced.
 */
async function withOneCredential(form: Form, here: Form | null): Promise<Form> {
  const { password, secret_digest, previous_secret_changed_at } = form;
  if (password && secret_digest && !previous_secret_changed_at) {
    const other = here?.password ? 'password' : 'secret_digest';
    return withOneCredential({ ...form, [other]: null }, here);
  }
  if (!password || passwordHashPattern.test(password)) return form;
  const stored = here?.password;
  const isSame = stored && (await isPasswordOf(stored, password));
  return { ...form, password: isSame ? stored : await hashPassword(password) };
}
