import { sql } from 'drizzle-orm';
import { apiUsers, certificates, registrars } from '../../../../drizzle/schema.ts';
import { parseAddressList } from '../../../base/address-list.ts';
import {
  registrarCodePattern,
  registrarCodeRule,
} from '../../../party/registrar/operator/account.ts';
import { channelRules, channels } from '../../../party/registrar/operator/channels.ts';
import { hashPassword } from '../../../party/registrar/operator/password.ts';
import { isPasswordOf } from '../../../party/registrar/password.ts';
import { columnOf, type Kind, kindOf, reference, registrarOf } from './kind.ts';
import * as read from './reader.ts';

export const registrarKind = kindOf(registrars, {
  name: 'registrars',
  columns: {
    id: read.positiveInteger,
    code: read.registrarCode,
    name: undefined,
    phone: undefined,
    email: undefined,
    website: undefined,
    created_at: read.requiredInstant,
    updated_at: read.requiredInstant,
  },
  key: ['code'],
  unique: ({ id }) => ({ id: id ?? null }),
  check(form, note) {
    const isToday = registrarCodePattern.test(form.code!);
    if (!isToday) note('code', 'carried', `is not a registrar code: ${registrarCodeRule}`);
    for (const channel of channels) {
      const { error } = channelRules[channel]().safeParse(form[channel]);
      if (form[channel] && error) note(channel, 'carried', error.issues[0]!.message);
    }
    return form;
  },
  subject: 'registrar',
});

/** An address that nobody has. An empty list would let a registrar call from everywhere. */
export const noAddress = '0.0.0.0/32';

export const addressKind: Kind = {
  name: 'allowed-ips',
  columns: {
    registrar: reference('registrars', {
      ...{ read: read.registrarCode, field: 'registrar', text: sql`${registrars.code}` },
    }),
    address: { read: address, empty: '', field: 'address', text: sql`one.value` },
  },
  key: ['registrar', 'address'],
  from: sql`${registrars}, json_each(${registrars.allowedIps}) as one where true`,
  number: sql`${registrars.id} * 1000000 + one.key + 1`,
  part: { of: 'registrars', lists: ['allowedIps'] },
};

function address(text: string, note: read.Note): string {
  const trimmed = text.trim();
  try {
    parseAddressList([trimmed]);
    return trimmed;
  } catch {
    note(`is not an address or CIDR range; it is now ${noAddress}, which nobody has`);
    return noAddress;
  }
}

/** HTTP Basic allows no control characters (RFC 7617, section 2), a login here no line separators either. */
const unsuppliable = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const cannotBeSupplied =
  'contains a control character or a line break, so nobody can log in with it';

export const apiUserKind = kindOf(apiUsers, {
  name: 'api-users',
  columns: {
    registrar: registrarOf(apiUsers.registrarId),
    username: columnOf(apiUsers, 'username', read.username),
    password: columnOf(apiUsers, 'passwordHash'),
    disabled_at: read.closedSince,
    created_at: read.requiredInstant,
    updated_at: read.requiredInstant,
  },
  key: ['username'],
  required: ['registrar', 'password'],
  // The files lack the age of a password.
  values: { secretChangedAt: sql`row ->> 'createdAt'` },
  check(form, note) {
    if (form.disabled_at) {
      note('disabled_at', 'carried', 'is disabled, so nobody can log in with it');
    }
    for (const column of ['username', 'password'] as const) {
      if (unsuppliable.test(form[column] ?? '')) note(column, 'carried', cannotBeSupplied);
    }
    return form;
  },
  async settle(form, stored) {
    const password = form.password!;
    const isSame = stored?.password && (await isPasswordOf(stored.password, password));
    return { ...form, password: isSame ? stored.password! : await hashPassword(password) };
  },
  subject: 'api_user',
});

/** Moving in binds certificates without requiring them. */
export const certificateKind = kindOf(certificates, {
  name: 'certificates',
  columns: {
    username: reference('api-users', {
      ...{ read: read.username, field: 'username', ifMissing: 'there is no such API user' },
      text: sql`(select username from ${apiUsers} where id = ${certificates.apiUserId})`,
    }),
    fingerprint: {
      ...columnOf(certificates, 'fingerprint', read.sha256Of('a certificate')),
      field: 'certificate',
    },
    common_name: undefined,
    expires_at: read.lastOf(read.instant),
    created_at: read.requiredInstant,
  },
  key: ['username', 'fingerprint'],
  condition: sql`${certificates.systemId} is null`,
  values: {
    apiUserId: sql`(select id from ${apiUsers} where username = row ->> 'username')`,
    fingerprint: sql`row ->> 'certificate'`,
  },
  subject: 'api_user',
  action: 'update',
  // The entry belongs to the user.
  recorded: ({ username: _, ...fields }) => fields,
});
