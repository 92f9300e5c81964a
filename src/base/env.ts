/** The record id of a registrar with waiting deliveries. */
export interface WebhookMessage {
  registrar: number;
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
  DISCLOSURE_HOURS?: string;
  HISTORY_VALUES_MONTHS?: string;
  IDENTITY_SERVICE_URL?: string;
  IDENTITY_SERVICE_CLIENTS?: string;
  IDENTITY_SERVICE_ALLOWED_IPS?: string;
  NAME_LETTERS?: string;
  ORPHAN_CONTACT_MONTHS?: string;
  RATE_LIMIT_POLICY?: string;
  REGISTRANT_AUTH_ALLOWED_IPS?: string;
  REGISTRANT_LIST_FORM?: string;
  REGISTRANT_TOKEN_KEYS?: string;
  REGISTRARS_URL?: string;
  SOURCE_URL?: string;
  SUPPORT_URL?: string;
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

export function nameRulesOf({ ZONES = '', NAME_LETTERS = '' }: Partial<Env>): NameRules {
  return { zones: entriesOf(ZONES), letters: NAME_LETTERS };
}

export function isLocalEnvironment(env: Env): boolean {
  return env.ENVIRONMENT === 'local';
}
