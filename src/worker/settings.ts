import * as z from 'zod/mini';
import type { AuctionStatus } from '../../drizzle/schema.ts';
import { parseAddressList } from '../base/address-list.ts';
import {
  type Env,
  entriesOf,
  isLocalEnvironment,
  lettersForm,
  lettersOf,
  zonesForm,
  zonesOf,
} from '../base/env.ts';
import { onFirstUseOf } from '../base/on-first-use.ts';
import type { IdentityClient } from '../contact/verification/identity-service.ts';
import type { TokenKey } from '../party/registrant/token.ts';

const isCount = (text: string) => /^[1-9]\d{0,3}$/.test(text);

/**
 * The hours from receipt to the due answer of a request for disclosure. Throws an Error if the setting is malformed.
 */
export function disclosureHoursOf({ DISCLOSURE_HOURS = '72' }: Pick<Env, 'DISCLOSURE_HOURS'>) {
  if (isCount(DISCLOSURE_HOURS)) return Number(DISCLOSURE_HOURS);
  throw new Error('DISCLOSURE_HOURS must be a number of hours, 1 to 9999');
}

export const limiters = {
  caller: ['CALLER_LIMITER', 'requests by one caller'],
  address: ['ADDRESS_LIMITER', 'requests from one address'],
  'failed-login': ['FAILED_LOGIN_LIMITER', 'failed logins from one address'],
  password: ['PASSWORD_LIMITER', 'passwords verified for one address'],
  'registrant-write': ['REGISTRANT_WRITE_LIMITER', 'writes or token requests for one person'],
  system: ['SYSTEM_LIMITER', 'requests by one system'],
} as const satisfies Record<string, readonly [binding: keyof Env, counted: string]>;
export type RateLimitName = keyof typeof limiters;
export const rateLimits = Object.keys(limiters) as RateLimitName[];

/**
 * A setting, parsed by a function that throws for malformed text. Messages are logged, so they never quote the text, which may be a secret.
 */
const readBy = <Value>(message: string, read: (text: string) => Value) =>
  z.pipe(
    z.string('is missing'),
    z.transform((input: string, { issues }) => {
      try {
        return read(input);
      } catch {
        issues.push({ code: 'custom', message, input });
        return z.NEVER;
      }
    }),
  );

const addressList = () =>
  readBy('must be addresses and CIDR ranges, separated by commas', (text) =>
    parseAddressList(entriesOf(text)),
  );

const restartable = [
  'payment_not_received',
  'domain_not_registered',
] as const satisfies AuctionStatus[];

function requires(isSound: boolean): asserts isSound {
  if (!isSound) throw new Error('malformed');
}

const months = () =>
  readBy('must be a number of months, 1 to 9999, or empty', (text) => {
    requires(text === '' || isCount(text));
    return text === '' ? undefined : Number(text);
  });

const zones = () => readBy(zonesForm, zonesOf);

const policyUrl = () =>
  readBy('must be an https URL, or empty', (text) => {
    if (text === '') return undefined;
    const { protocol, href } = new URL(text);
    requires(protocol === 'https:');
    return href;
  });

const timeZone = () =>
  readBy('must be a time zone, such as Europe/Tallinn, or empty', (text) => {
    if (text === '' || text === 'UTC') return undefined;
    requires(/^[A-Z]/.test(text));
    return new Intl.DateTimeFormat('en', { timeZone: text }) && text;
  });

/** An origin. */
const publicUrl = () =>
  readBy('must be https:// and a host name, or empty', (text) => {
    if (text === '') return undefined;
    const { origin, protocol, href } = new URL(text);
    requires(protocol === 'https:' && href === `${origin}/`);
    return origin;
  });

/** The name cannot choose the host. */
const lookupUrl = () =>
  readBy('must be an https URL with {name} after its host, or empty', (text) => {
    if (text === '') return undefined;
    requires(/^https:\/\/[^/?#{]+[/?#].*\{name\}/.test(text) && URL.canParse(text));
    return (name: string) => new URL(text.replaceAll('{name}', name)).href;
  });

const supportUrl = () =>
  readBy('must be an https URL or an e-mail address, or empty', (text) => {
    if (text === '') return undefined;
    const isAddress = /^[^\s@:/?]+@[^\s@:/?]+$/.test(text);
    const { protocol, href } = new URL(isAddress ? `mailto:${text}` : text);
    requires(protocol === 'https:' || /^mailto:[^@?]+@[^@?]+$/.test(href));
    return href;
  });

/** Undefined without a link: the setting is empty, absent or malformed. */
export const findLink = (setting?: string) => policyUrl().safeParse(setting).data;
export const findSupport = (setting?: string) => supportUrl().safeParse(setting).data;
/** Empty without zones: the setting is empty, absent or malformed. */
export const findZones = (setting?: string) => zones().safeParse(setting).data ?? [];
export const findTimeZone = (setting?: string) => timeZone().safeParse(setting).data;
export const findPublicUrl = (setting?: string) => publicUrl().safeParse(setting).data;
export const findLookup = (setting?: string) => lookupUrl().safeParse(setting).data;

/**
 * The European directive NIS 2 (article 28) asks a registry to publish these policies. An empty or malformed setting leaves one out.
 */
export function findPolicies({ VERIFICATION_POLICY_URL, ACCESS_POLICY_URL }: Partial<Env>) {
  const policies = { verification: VERIFICATION_POLICY_URL, access: ACCESS_POLICY_URL };
  return (['verification', 'access'] as const).flatMap((policy) => {
    const url = findLink(policies[policy]);
    return url === undefined ? [] : [{ policy, url }];
  });
}

/** HS256 requires a key of at least 256 bits (RFC 7518, section 3.2). */
const minimumSecretBytes = 32;
const demoSecretPrefix = 'demo-';

const tokenKeys = (isLocal: boolean) =>
  readBy(
    `must be id:secret[, id:secret], with different ids and secrets of ${minimumSecretBytes} bytes or more, none of them for a demo`,
    (text) => {
      const keys = entriesOf(text).map((entry) => {
        const [, id, secret] = /^([^:]+):(.*)$/s.exec(entry) ?? [];
        requires(id !== undefined && (isLocal || !secret!.startsWith(demoSecretPrefix)));
        return { id, secret: new TextEncoder().encode(secret) };
      });
      requires(keys.length > 0 && keys.length === new Set(keys.map(({ id }) => id)).size);
      requires(keys.every(({ secret }) => secret.length >= minimumSecretBytes));
      return keys as [TokenKey, ...TokenKey[]];
    },
  );

const serviceUrl = (isLocal: boolean) =>
  readBy('must be a URL that begins with https://, or empty', (text) => {
    if (text === '') return undefined;
    const { protocol, origin, pathname, href } = new URL(text);
    const isOnThisMachine =
      isLocal && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin);
    requires(href === origin + pathname && (protocol === 'https:' || isOnThisMachine));
    return href.replace(/\/$/, '');
  });

const serviceClients = () =>
  readBy('must be priv=id:secret, birthday=id:secret, one of them, or empty', (text) => {
    const form = /^(?<identType>priv|birthday)=(?<id>[^:]+):(?<secret>.+)$/;
    const clients = entriesOf(text).map((entry) => form.exec(entry)!.groups!);
    requires(Map.groupBy(clients, ({ identType }) => identType).size === clients.length);
    return clients as unknown as Omit<IdentityClient, 'url'>[];
  });

const policyForm = `must give "${rateLimits.join('", "')}", each as "name";q=requests;w=10 or 60`;
const rateLimitPolicy = () =>
  readBy(policyForm, (header) => {
    const policies = [...header.matchAll(/"([\w-]+)";q=([1-9]\d*);w=(10|60)(?=,|$)/g)];
    const limits = new Map(
      policies.map(([, name, requests, seconds]) => [
        name,
        { requests: Number(requests), windowSeconds: Number(seconds) },
      ]),
    );
    requires(rateLimits.every((name) => limits.has(name)));
    return { header, limits };
  });

/**
 * The limits, also as the `RateLimit-Policy` header (draft-ietf-httpapi-ratelimit-headers). Undefined for a malformed setting; the limiters
 * still count.
 */
export const findRateLimits = onFirstUseOf(
  ({ RATE_LIMIT_POLICY }: Env) => rateLimitPolicy().safeParse(RATE_LIMIT_POLICY).data,
);

const environment = () =>
  z.enum(['local', 'production'], 'must be local or production; deploy with --env');

/** A Worker deployed without `--env` belongs to no environment: it answers nothing and does nothing. */
export const hasEnvironment = onFirstUseOf(
  ({ ENVIRONMENT }: Env) => environment().safeParse(ENVIRONMENT).success,
);

export class SettingsError extends Error {}

/**
 * All settings, checked together and remembered with their bindings. Throws a SettingsError that names each missing or malformed setting, so that no
 * call that depends on settings is answered.
 */
export const settings = onFirstUseOf((env: Env) => {
  const shape = z.object({
    ENVIRONMENT: environment(),
    RATE_LIMIT_POLICY: rateLimitPolicy(),
    AUCTION_API_ALLOWED_IPS: addressList(),
    ACCESS_POLICY_URL: z.optional(policyUrl()),
    AUCTION_CENTRE_URL: z.optional(policyUrl()),
    DISPUTE_POLICY_URL: z.optional(policyUrl()),
    REGISTRARS_URL: z.optional(policyUrl()),
    VERIFICATION_POLICY_URL: z.optional(policyUrl()),
    /** A report of one of these puts the name up for auction again. */
    AUCTION_RESTART_STATUSES: readBy(
      `must be ${restartable.join(', ')}, both with a comma, or empty`,
      (text) => z.array(z.enum(restartable)).parse(entriesOf(text)),
    ),
    /** Days for which it is kept who looked at what on the desk. */
    DESK_LOOKS_DAYS: z._default(
      readBy('must be a number of days, 1 to 9999', (text) => {
        requires(isCount(text));
        return Number(text);
      }),
      365,
    ),
    /** Months for which the history of contacts keeps personal values. Undefined: for ever. */
    HISTORY_VALUES_MONTHS: months(),
    IDENTITY_SERVICE_URL: z.optional(serviceUrl(isLocalEnvironment(env))),
    IDENTITY_SERVICE_CLIENTS: z.optional(serviceClients()),
    IDENTITY_SERVICE_ALLOWED_IPS: z.optional(addressList()),
    LOOKUP_URL: z.optional(lookupUrl()),
    /** The letters of names beside a to z. Empty allows all. */
    NAME_LETTERS: z.optional(readBy(lettersForm, lettersOf)),
    /** Months for which a contact without a domain is kept. Undefined: for ever. */
    ORPHAN_CONTACT_MONTHS: months(),
    PUBLIC_URL: z.optional(publicUrl()),
    REGISTRANT_AUTH_ALLOWED_IPS: addressList(),
    /** An array in an object, or the bare array. */
    REGISTRANT_LIST_FORM: z._default(
      z.enum(['wrapped', 'array'], 'must be wrapped or array'),
      'wrapped',
    ),
    /** The first key signs tokens; all of them verify. */
    REGISTRANT_TOKEN_KEYS: tokenKeys(isLocalEnvironment(env)),
    SOURCE_URL: z.optional(policyUrl()),
    SUPPORT_URL: z.optional(supportUrl()),
    /** Where the staff's clocks are. */
    TIME_ZONE: z.optional(timeZone()),
    /** Zones of the registry's names. Empty allows all. */
    ZONES: z.optional(zones()),
  });
  const { data, error } = shape.safeParse(env);
  if (error) {
    const wrong = error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`);
    throw new SettingsError(`settings are missing or malformed: ${wrong.join('; ')}`);
  }
  const { IDENTITY_SERVICE_URL: url, IDENTITY_SERVICE_CLIENTS: clients = [] } = data;
  /** Empty without an identity service. */
  const identityClients = url === undefined ? [] : clients.map((client) => ({ url, ...client }));
  return { ...data, identityClients };
});
