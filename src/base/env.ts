import { RegistryError } from './error.ts';
import { lowerCase, readDomainName } from './text/domain-name.ts';

/** The record id of a registrar with waiting deliveries. */
export interface WebhookMessage {
  registrar: number;
  /** The one in which it may send deliveries. Messages of 1.0.0 have none, and may always. */
  turn?: string | undefined;
  /** The only delivery that it sends: this test. */
  test?: string;
}

/** Bindings and raw settings from wrangler.toml, `.dev.vars` and the deployment's secrets. */
export interface Env {
  DB: D1Database;
  LISTS: KVNamespace;
  /** The lists of past days; absent if none are kept. */
  ARCHIVE?: R2Bucket;
  /** Absent if no data points are kept. */
  METRICS?: AnalyticsEngineDataset;
  CALLER_LIMITER: RateLimit;
  ADDRESS_LIMITER: RateLimit;
  FAILED_LOGIN_LIMITER: RateLimit;
  PASSWORD_LIMITER: RateLimit;
  REGISTRANT_WRITE_LIMITER: RateLimit;
  SYSTEM_LIMITER: RateLimit;
  /** The platform gives every deployment a new id. */
  VERSION: WorkerVersionMetadata;
  /** Absent if no webhooks are sent. */
  WEBHOOKS?: Queue<WebhookMessage>;
  ENVIRONMENT?: string;
  ACCESS_POLICY_URL?: string;
  AUCTION_API_ALLOWED_IPS?: string;
  AUCTION_CENTRE_URL?: string;
  AUCTION_RESTART_STATUSES?: string;
  DESK_LOOKS_DAYS?: string;
  DISCLOSURE_HOURS?: string;
  DISPUTE_POLICY_URL?: string;
  HISTORY_VALUES_MONTHS?: string;
  IDENTITY_SERVICE_URL?: string;
  IDENTITY_SERVICE_CLIENTS?: string;
  IDENTITY_SERVICE_ALLOWED_IPS?: string;
  LOOKUP_URL?: string;
  NAME_LETTERS?: string;
  ORPHAN_CONTACT_MONTHS?: string;
  PUBLIC_URL?: string;
  RATE_LIMIT_POLICY?: string;
  REGISTRANT_AUTH_ALLOWED_IPS?: string;
  REGISTRANT_LIST_FORM?: string;
  REGISTRANT_TOKEN_KEYS?: string;
  REGISTRARS_URL?: string;
  SOURCE_URL?: string;
  SUPPORT_URL?: string;
  TIME_ZONE?: string;
  VERIFICATION_POLICY_URL?: string;
  ZONES?: string;
}

export const entriesOf = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export interface NameRules {
  /** For example `ee`; empty if names may be in any zone. */
  zones: readonly string[];
  /** Letters of names other than a to z; empty if all are allowed. */
  letters: string;
}

/** Throws `invalid` for a malformed setting. */
export function nameRulesOf({ ZONES = '', NAME_LETTERS = '' }: Partial<Env>): NameRules {
  return { zones: zonesOf(ZONES), letters: lettersOf(NAME_LETTERS) };
}

export const zonesForm = 'must be domain names, separated by commas, or empty';

/** A zone is whatever a domain name may end in, in the form of the database. */
export function zonesOf(text: string): string[] {
  return entriesOf(text).map((zone) => {
    const { domain } = readDomainName(`a.${zone}`);
    if (domain) return domain.name.slice('a.'.length);
    throw new RegistryError('invalid', `ZONES ${zonesForm}`);
  });
}

export const lettersForm =
  'must be letters in lower case (NFC), with nothing between them, or empty';

export function lettersOf(text: string): string {
  if (/^[\p{L}\p{M}]*$/u.test(text) && text === lowerCase(text).normalize('NFKC')) return text;
  throw new RegistryError('invalid', `NAME_LETTERS ${lettersForm}`);
}

export function isLocalEnvironment(env: Env): boolean {
  return env.ENVIRONMENT === 'local';
}
