import { sql } from 'drizzle-orm';
import { apiUsers, certificates } from '../../drizzle/schema.ts';
import { insertRows, valuesInJson } from '../database/insert-rows.ts';
import { columnOf, isOver, type Kind } from './kind.ts';
import { instant, refusal, requiredInstant, sha256Of, username } from './reader.ts';

/** The client certificates of API users. Moving in binds them, and requires none. */
export const certificateKind: Kind = {
  name: 'certificates',
  subject: 'api_user',
  table: certificates,
  columns: {
    username: {
      read: username,
      refersTo: { name: 'api-users', one: 'API user' },
      field: 'username',
      text: sql`(select username from ${apiUsers} where id = ${certificates.apiUserId})`,
      // The entry is one of the user.
      recorded: () => undefined,
    },
    fingerprint: {
      ...columnOf(certificates, 'fingerprint', (text, note) => {
        if (text === null) throw refusal('is missing');
        return sha256Of('a certificate')(text, note);
      }),
      field: 'certificate',
    },
    common_name: columnOf(certificates, 'commonName'),
    expires_at: columnOf(certificates, 'expiresAt', instant),
    created_at: columnOf(certificates, 'createdAt', requiredInstant),
  },
  key: ['username', 'fingerprint'],
  action: 'update',
  isAbout: sql`row.value ->> 'fingerprint' in
    (entry.changes ->> '$.certificate.to', entry.changes ->> '$.certificate.from')`,
  constants: { system_id: null },
  obstacle: sql`not exists (select 1 from ${apiUsers} where username = row.value ->> '$.to.username')`,
  unfit: ({ expires_at }, now) =>
    expires_at && expires_at <= now.toISOString()
      ? { column: 'expires_at', why: isOver }
      : undefined,
  insert(db, rows) {
    const user = sql`(select id from ${apiUsers} where username = row ->> 'username')`;
    const certificate = {
      ...valuesInJson(certificates),
      apiUserId: user,
      systemId: null,
      presentedAt: null,
      fingerprint: sql`row ->> 'certificate'`,
    };
    return insertRows(db, certificates, certificate, sql`from (${rows})`);
  },
};
