import type { Certificate, listCertificates } from '../party/credential/operator/certificate.ts';
import type { listApiUsers } from '../party/registrar/operator/api-user.ts';
import type { listSystems } from '../party/system/operator/system.ts';
import { plain, type Shown } from './columns.ts';

export type ListedApiUser = Awaited<ReturnType<typeof listApiUsers>>[number];
export type ListedSystem = Awaited<ReturnType<typeof listSystems>>[number];
export type ListedCertificate = Awaited<ReturnType<typeof listCertificates>>[number];

/** The end of a secret or key with an unused successor. */
export const untilADayAfterUse = 'a day after the new one is first used';

export const apiUsersView: Shown<ListedApiUser> = {
  name: 'api_users',
  columns: {
    ...plain('id', 'username'),
    registrar: 'registrarCode',
    ...plain('hasOldPassword', 'secretChangedAt', 'previousSecretChangedAt'),
    previous_secret_valid_until: {
      of: 'previousSecretValidUntil',
      cell: (one) =>
        one.previousSecretChangedAt && (one.previousSecretValidUntil ?? untilADayAfterUse),
    },
    ...plain('disabledAt', 'createdAt', 'updatedAt'),
  },
  table:
    'username registrar has_old_password secret_changed_at previous_secret_valid_until disabled_at',
};

export const systemsView: Shown<ListedSystem> = {
  name: 'systems',
  columns: {
    ...plain('name', 'rights'),
    allowed_ips: { of: 'allowedIps', cell: (one) => one.allowedIps.join(', ') || 'nowhere' },
    ...plain('keyChangedAt'),
    has_previous_key: ({ previousKeyDigest }) => previousKeyDigest !== null,
    previous_key_valid_until: {
      of: 'previousKeyValidUntil',
      cell: (one) => one.previousKeyDigest && (one.previousKeyValidUntil ?? untilADayAfterUse),
    },
    ...plain('disabledAt', 'createdAt', 'updatedAt'),
  },
  table: 'name rights allowed_ips key_changed_at previous_key_valid_until disabled_at',
};

export const certificateColumns = plain<Certificate>('fingerprint', 'commonName', 'expiresAt');

export const certificatesView: Shown<ListedCertificate> = {
  name: 'certificates',
  columns: {
    api_user: 'username',
    ...certificateColumns,
    ...plain('system', 'presentedAt', 'isRequired', 'createdAt'),
  },
  table: 'api_user system is_required common_name expires_at presented_at fingerprint',
};
