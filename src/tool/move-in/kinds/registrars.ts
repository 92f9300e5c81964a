import { sql } from 'drizzle-orm';
import { apiUsers, certificates, registrars } from '../../../../drizzle/schema.ts';
import { parseAddressList } from '../../../base/address-list.ts';
import { insertRows, valuesInJson } from '../../../base/database/insert-rows.ts';
import { registrarIdOf } from '../../../party/registrar/account.ts';
import {
  hashPassword,
  isPasswordOf,
  passwordHashPattern,
} from '../../../party/registrar/password.ts';
import { columnOf, type Kind, registrarOf, rowsOf, tableColumns } from './kind.ts';
import {
  anyText,
  instant,
  type Note,
  positiveInteger,
  presentText,
  refusal,
  registrarCode,
  requiredInstant,
  sha256Of,
  username,
} from './reader.ts';

export const registrarKind: Kind = {
  name: 'registrars',
  columns: tableColumns(registrars, {
    id: (text, note) => (text === null ? undefined : positiveInteger(text, note)),
    code: registrarCode,
    name: presentText,
    created_at: requiredInstant,
    updated_at: requiredInstant,
  }),
  key: ['code'],
  unique: [{ columns: ['id'] }],
  ...rowsOf(registrars),
  stored: {
    subject: 'registrar',
    insert: (db, rows) => [
      insertRows(db, registrars, valuesInJson(registrars), sql`from (${rows})`),
    ],
  },
};

/** Nobody calls from it: without any address, a registrar would be open to all. */
export const noAddress = '0.0.0.0/32';

export const addressKind: Kind = {
  name: 'allowed-ips',
  columns: {
    registrar: {
      ...registrarOf(registrars.id, 'there is no such row in registrars'),
      text: sql`${registrars.code}`,
    },
    address: { read: address, field: 'address', text: sql`one.value` },
  },
  key: ['registrar', 'address'],
  from: sql`${registrars}, json_each(${registrars.allowedIps}) as one where true`,
  place: sql`${registrars.id} * 1000000 + one.key + 1`,
  part: { of: 'registrars', element: 'address', lists: ['allowedIps'] },
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
  columns: {
    registrar: registrarOf(apiUsers.registrarId),
    username: columnOf(apiUsers, 'username', username),
    password: columnOf(apiUsers, 'passwordHash'),
    ...tableColumns(apiUsers, {
      secret_digest: sha256Of('a secret'),
      secret_changed_at: requiredInstant,
      previous_secret_digest: sha256Of('a secret'),
      previous_secret_changed_at: instant,
      previous_secret_valid_until: instant,
      disabled_at: instant,
      created_at: requiredInstant,
      updated_at: requiredInstant,
    }),
  },
  key: ['username'],
  required: ['registrar'],
  unique: [{ columns: ['secret_digest'] }],
  ...rowsOf(apiUsers),
  missing: { secret_changed_at: (at) => at },
  carried: ({ disabled_at }) =>
    disabled_at
      ? [{ column: 'disabled_at', why: 'is disabled, so nobody can log in with it' }]
      : [],
  check(form) {
    const { password, secret_digest, previous_secret_changed_at } = form;
    if (password && secret_digest && !previous_secret_changed_at) {
      throw refusal('has both a password and the digest of a secret');
    }
    if (password === undefined && secret_digest === undefined) {
      throw refusal('is missing', 'password');
    }
    if (!password && !secret_digest) throw refusal('has no password');
    // Files from another registry do not say how old a password is.
    const since = form.secret_changed_at ?? form.created_at;
    return { ...form, ...(since && { secret_changed_at: since }) };
  },
  /** A password is the one on record, or is hashed now. */
  async settle(form, stored) {
    const { password } = form;
    if (!password || passwordHashPattern.test(password)) return form;
    const isSame = stored?.password && (await isPasswordOf(stored.password, password));
    return { ...form, password: isSame ? stored.password! : await hashPassword(password) };
  },
  stored: {
    subject: 'api_user',
    insert(db, rows) {
      const registrarId = registrarIdOf(sql`row ->> 'registrar'`);
      const user = { ...valuesInJson(apiUsers), registrarId };
      return [insertRows(db, apiUsers, user, sql`from (${rows})`)];
    },
  },
};

/** The client certificates of API users. Moving in binds them, and requires none. */
export const certificateKind: Kind = {
  name: 'certificates',
  columns: {
    username: {
      read: username,
      refersTo: { kind: 'api-users', ifMissing: 'there is no such API user' },
      field: 'username',
      text: sql`(select username from ${apiUsers} where id = ${certificates.apiUserId})`,
    },
    fingerprint: {
      ...columnOf(certificates, 'fingerprint', (text, note) => {
        if (text === null) throw refusal('is missing');
        return sha256Of('a certificate')(text, note);
      }),
      field: 'certificate',
    },
    ...tableColumns(certificates, {
      common_name: anyText,
      expires_at: instant,
      created_at: requiredInstant,
    }),
  },
  key: ['username', 'fingerprint'],
  ...rowsOf(certificates, sql`${certificates.systemId} is null`),
  end: { column: 'expires_at', isOver: (at, now) => at <= now.toISOString() },
  stored: {
    subject: 'api_user',
    action: 'update',
    // The entry is one of the user.
    recorded: ({ username: _, ...fields }) => fields,
    insert(db, rows) {
      const certificate = {
        ...valuesInJson(certificates),
        apiUserId: sql`(select id from ${apiUsers} where username = row ->> 'username')`,
        fingerprint: sql`row ->> 'certificate'`,
      };
      return [insertRows(db, certificates, certificate, sql`from (${rows})`)];
    },
  },
};
