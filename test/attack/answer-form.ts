import * as z from 'zod';
import { problemOnEachPath } from '../http/openapi/contract.ts';
import { documentProblem } from '../http/site/document.ts';
import type { Sent } from './requests.ts';

/** An answer as it came over the wire. */
export interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Form = (status: number) => z.ZodType;

const text = z.string();
const optionalText = z.string().nullable();
const instant = z.iso.datetime({ precision: 3 });

const registrarContact = z.strictObject({
  id: z.int(),
  code: text,
  phone: text,
  email: text,
  fax: optionalText,
  created_at: instant,
  updated_at: instant,
  ident: text,
  ident_type: z.enum(['priv', 'org', 'birthday']),
  auth_info: text,
  name: text,
  org_name: optionalText,
  registrar_id: z.int(),
  creator_str: optionalText,
  updator_str: optionalText,
  ident_country_code: text,
  city: text,
  street: text,
  zip: text,
  country_code: text,
  state: optionalText,
  legacy_id: optionalText,
  statuses: z.array(text).min(1),
  status_notes: z.record(text, text),
});
const historyEntry = z.strictObject({
  at: instant,
  action: z.enum(['create', 'update', 'delete']),
  by: text,
  request_id: optionalText,
  client_reference: optionalText,
  changes: z.record(
    text,
    z.union([
      z.strictObject({ redacted: z.literal(true) }),
      z.strictObject({ removed: z.literal(true) }),
      z.strictObject({ from: z.json(), to: z.json() }),
    ]),
  ),
});
const notification = z.strictObject({
  id: z.int(),
  text,
  attached_obj_type: z.literal('Contact'),
  attached_obj_id: text,
  created_at: instant,
  read: z.boolean(),
  fields: z.array(text),
});
const resultCode = z.int().min(2000).max(2502);
const registrar: Form = (status) =>
  status === 200
    ? z.union([
        z.strictObject({
          contacts: z.union([z.array(text), z.array(registrarContact)]),
          total_number_of_records: z.int(),
        }),
        z.strictObject({
          code: z.literal(1000),
          message: z.literal('Command completed successfully'),
          data: z.union([
            z.strictObject({}),
            z.strictObject({ contact: z.strictObject({ id: text }) }),
            z.strictObject({ contact: z.strictObject({ id: text, available: z.boolean() }) }),
            z.strictObject({ contact: registrarContact }),
            z.strictObject({ history: z.array(historyEntry) }),
            notification,
            z.array(notification),
            z.strictObject({ notification_id: z.int(), read: z.literal(true) }),
          ]),
        }),
      ])
    : z.strictObject({
        code: resultCode,
        message: text.min(1),
        data: z.strictObject({}),
        errors: z
          .array(
            z.strictObject({
              code: resultCode,
              message: text.min(1),
              field: text.nullable(),
              detail: text.min(1).optional(),
            }),
          )
          .min(1),
      });

const fieldErrors = z.strictObject({
  errors: z
    .record(text, z.array(text.min(1)).min(1))
    .refine((errors) => Object.keys(errors).length > 0),
});
const registrantContact = z.strictObject({
  id: z.uuid(),
  name: text,
  code: text,
  ident: z.strictObject({ code: text, type: text, country_code: text }),
  email: text,
  phone: text,
  fax: text,
  address: z.strictObject({
    street: text,
    zip: text,
    city: text,
    state: text,
    country_code: text,
  }),
  auth_info: text,
  statuses: z.array(text).min(1),
});
const detailedContact = registrantContact.extend({
  disclosed_attributes: z.array(z.enum(['name', 'email'])),
});
const personalData = z.strictObject({
  exported_at: instant,
  person: z.strictObject({
    ident: z.strictObject({ code: text, type: z.literal('priv'), country_code: text }),
  }),
  contacts: z.array(
    detailedContact.extend({
      org_name: optionalText,
      status_notes: z.record(text, text),
      legacy_id: optionalText,
      creator_str: optionalText,
      updator_str: optionalText,
      created_at: instant,
      updated_at: instant,
      registrar: z.strictObject({ code: text, name: text }),
      domains: z.array(
        z.strictObject({ name: text, role: z.enum(['registrant', 'admin', 'tech']) }),
      ),
      history: z.array(historyEntry),
    }),
  ),
  deleted_contacts: z.array(
    z.strictObject({ id: z.uuid(), code: text, history: z.array(historyEntry).min(1) }),
  ),
});
const registrant: Form = (status) =>
  status === 200
    ? z.union([
        personalData,
        z.strictObject({ contacts: z.array(registrantContact) }),
        detailedContact,
        z.strictObject({ history: z.array(historyEntry) }),
        z.strictObject({ access_token: text, expires_at: instant, type: z.literal('Bearer') }),
      ])
    : fieldErrors;

const auction = z.strictObject({
  id: z.uuid(),
  domain: text,
  status: text,
  platform: text.optional(),
});
const auctions: Form = (status) => {
  if (status === 404) {
    return z.strictObject({ error: z.literal('Not Found'), uuid: text.optional(), message: text });
  }
  if (status !== 200) return fieldErrors;
  const updated = auction
    .extend({
      registration_code: z
        .string()
        .regex(/^[0-9a-f]{32}$/)
        .nullable(),
    })
    .refine(
      ({ status, registration_code: code }) => (status === 'payment_received') === (code !== null),
    );
  return z.union([z.array(auction), auction, updated]);
};

const names = { domain_name: text, punycode_domain_name: text };
const retained = {
  name: text,
  status: z.enum(['reserved', 'blocked', 'disputed']),
  punycode_name: text,
};
const changes = (entry: z.ZodType) =>
  z.strictObject({ since: text, current: text, added: z.array(entry), removed: z.array(entry) });
const listedName = z.strictObject({
  name: text,
  punycode_name: text,
  statuses: z.array(z.enum(['blocked', 'disputed', 'reserved'])),
  in_auction: z.boolean(),
});
const publicLists: Form = (status) =>
  status === 200
    ? z.union([
        z
          .strictObject({ auctions: z.array(z.strictObject(names)), count: z.int() })
          .refine((list) => list.count === list.auctions.length),
        z
          .strictObject({ domains: z.array(z.strictObject(retained)), count: z.int() })
          .refine((list) => list.count === list.domains.length),
        changes(z.strictObject(names)),
        changes(z.strictObject(retained)),
        listedName,
        z.strictObject({
          results: z.array(
            z.union([listedName, z.strictObject({ name: z.unknown(), error: text.min(1) })]),
          ),
        }),
      ])
    : fieldErrors;

const health: Form = (status) =>
  status === 200 || status === 503
    ? z
        .strictObject({
          status: z.enum(['ok', 'failing']),
          reason: text.min(1).optional(),
          version: text,
          database: z.strictObject({ is_reachable: z.boolean() }),
          lists: z.record(
            text,
            z.strictObject({
              count: z.int().nullable(),
              etag: optionalText,
              published_at: instant.nullable(),
              is_behind: z.boolean().nullable(),
            }),
          ),
        })
        .refine((body) => (body.status === 'ok') === (status === 200))
    : fieldErrors;

/** Which interface a path belongs to, by its first words. */
function interfaceOf(path: string): string {
  const first =
    /^\/(health|repp\/v1\/(auctions|retained_domains)|repp|api\/v1\/registrant|api\/v1\/auctions)(\/|$)/;
  return first.exec(path)?.[1] ?? 'none';
}

function formOf(path: string): Form {
  switch (interfaceOf(path)) {
    case 'repp':
      return registrar;
    case 'api/v1/registrant':
      return registrant;
    case 'api/v1/auctions':
      return auctions;
    case 'health':
      return health;
    case 'none':
      return () => fieldErrors;
    default:
      return publicLists;
  }
}

/** What is wrong with an answer that is a page for people. */
function pageProblem({ headers, body }: Received): string | undefined {
  if (headers['content-type'] !== 'text/html; charset=UTF-8') {
    return `content type ${headers['content-type']}`;
  }
  if (!String(headers['content-security-policy']).includes("script-src 'self'; ")) {
    return 'no policy of its own';
  }
  return documentProblem(body);
}

const allowedStatuses = [200, 204, 302, 304, 400, 401, 404, 405, 410, 412, 413, 422];

/** What is wrong with the form of an answer, if anything is. */
export function formProblem(sent: Sent, { status, headers, body }: Received): string | undefined {
  if (!allowedStatuses.includes(status)) return `status ${status}`;
  if (!/^[0-9a-f-]{36}$/.test(String(headers['x-request-id']))) return 'no request id of its own';
  // A 304 has no body to protect.
  if (status !== 304 && headers['x-content-type-options'] !== 'nosniff') {
    return 'no security headers';
  }
  if (headers['set-cookie'] !== undefined) return 'a header was injected';
  if (headers['cache-control'] === undefined) return 'no Cache-Control';
  if (status === 405 && !headers.allow) return '405 without Allow';
  if (status === 204 || status === 304 || sent.method === 'HEAD') {
    return body === '' ? undefined : 'a body where there is none';
  }
  if (status === 302) {
    return /^\/(et|en)\/(\?|$)/.test(String(headers.location)) ? undefined : 'leads elsewhere';
  }
  return problemOnEachPath(sent.path, (path) => bodyProblem(path, { status, headers, body }));
}

function bodyProblem(path: string, { status, headers, body }: Received): string | undefined {
  if (/^\/($|(et|en)(\/|$))/.test(path)) return pageProblem({ status, headers, body });
  if (!/^application\/json(; charset=utf-8)?$/i.test(String(headers['content-type']))) {
    return `content type ${headers['content-type']}`;
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'a body that is no JSON';
  }
  const result = formOf(path)(status).safeParse(value);
  if (!result.success)
    return `not the form of ${interfaceOf(path)}: ${z.prettifyError(result.error)}`;
  return undefined;
}
