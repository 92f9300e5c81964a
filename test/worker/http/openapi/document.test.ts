import { globSync, readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { document, operations } from './operations.ts';

type Schema = Record<string, unknown> & {
  properties: Record<string, Schema>;
  items: Schema;
  anyOf?: Schema[];
};

interface Operation {
  operationId: string;
  responses: Record<number, { description?: string }>;
}

const schemas: Record<string, Schema> = document.components.schemas;
const parameters: Record<string, { schema: Schema }> = document.components.parameters;

/** Rules that make no sense here, and why. */
const switchedOff = {
  // `check/{code}` and `{code}/history` could both mean `check/history`: the first one does, and no code is "check", which has no colon.
  'no-ambiguous-paths': 'off',
} as const;

/** `/` has no 2xx: it only redirects. */
const isRedirect = (rule: string, pointer?: string) =>
  rule === 'operation-2xx-response' && pointer === '#/paths/~1/get/responses';

it('finds nothing to say about the document', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: switchedOff });

  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });

  expect(
    problems
      .map(({ ruleId, message, location: [first] }) => [ruleId, first?.pointer, message] as const)
      .filter(([rule, pointer]) => !isRedirect(rule, pointer)),
  ).toEqual([]);
});

it('every pattern of the document is one of RE2, which has neither look-around nor references', () => {
  const patterns: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern') patterns.push(value);
    return value;
  });
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((pattern) => /\(\?[^:]|\\[1-9k]/.test(pattern))).toEqual([]);
});

/** The files that may import the descriptions: the descriptions themselves, and the build. */
const isDescription = (file: string) =>
  /\.openapi\.ts$|http\/openapi\/|build-assets\.ts$/.test(file);

it('the document is imported by nothing that the Worker bundles', () => {
  const importing = globSync('src/**/*.{ts,tsx}')
    .filter((file) => !isDescription(file))
    .filter((file) => /from '.*(\.openapi\.ts|\/openapi\/.*)'/.test(readFileSync(file, 'utf8')));
  expect(importing).toEqual([]);
});

it('the document gives each call an id of its own', () => {
  const webhooks = Object.values<{ post: { operationId: string } }>(document.webhooks);
  const ids = [...operations, ...webhooks.map(({ post }) => post)].map((call) => call.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

/** A field's schema by its path, without what is said for people. */
function limitsOf(path: string) {
  const [name = '', ...fields] = path.split('.');
  const { description: _, ...limits } = fields.reduce(
    // The first way in which a field may be given is the one in groups.
    (schema, field) => (schema.anyOf?.[0] ?? schema).properties[field] as Schema,
    schemas[name] as Schema,
  );
  return limits;
}

const clearable = ['string', 'null'];

it.each([
  ['ContactCreation.contact.name', { type: 'string', minLength: 1, maxLength: 255 }],
  ['ContactCreation.contact.org_name', { type: clearable, maxLength: 255 }],
  [
    'ContactCreation.contact.email',
    { type: 'string', minLength: 1, maxLength: 255, format: 'idn-email' },
  ],
  [
    'ContactCreation.contact.phone',
    {
      ...{ type: 'string', minLength: 1, maxLength: 19 },
      pattern: '^\\+\\d{1,3}\\.\\d{1,14}$',
    },
  ],
  [
    'ContactCreation.contact.ident.ident_type',
    { type: 'string', enum: ['priv', 'org', 'birthday'] },
  ],
  [
    'ContactCreation.contact.ident.ident_country_code',
    { type: 'string', minLength: 1, maxLength: 2, pattern: '^[A-Za-z]{2}$' },
  ],
  [
    'ContactCreation.contact.id',
    { type: clearable, maxLength: 100, pattern: '^$|^[A-Za-z0-9_.:-]+$' },
  ],
  ['ContactUpdate.contact.addr.zip', { type: clearable, maxLength: 16 }],
  [
    'RegistrantContactUpdate.disclosed_attributes',
    { type: 'array', items: { type: 'string', enum: ['name', 'email'] } },
  ],
  [
    'AuctionReport.status',
    {
      type: clearable,
      enum: [
        ...['awaiting_payment', 'no_bids', 'payment_received'],
        ...['payment_not_received', 'domain_not_registered', null],
      ],
    },
  ],
  ['NotificationUpdate.notification.read', { type: 'boolean', const: true }],
])('the document gives the limits of %s', (path, limits) => {
  expect(limitsOf(path)).toEqual(limits);
});

it('the document limits the names that are looked up, and the contacts that are validated', () => {
  expect(limitsOf('Lookup.names')).toMatchObject({ minItems: 1, maxItems: 500 });
  expect(limitsOf('ContactValidation.contacts')).toMatchObject({ minItems: 1, maxItems: 100 });
});

it('the document gives the limits of pages', () => {
  expect(parameters.Limit?.schema).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 200,
    default: 200,
  });
  expect(parameters.Offset?.schema).toEqual({ type: 'integer', minimum: 0 });
});

it.each([
  ['ContactCreation.contact', ['name', 'email', 'phone', 'ident']],
  ['ContactUpdate.contact', undefined],
  ['RegistrantContactUpdate', undefined],
  ['TokenRequest', ['ident', 'first_name', 'last_name']],
])('the document requires the fields of %s that the call requires', (path, required) => {
  expect(limitsOf(path).required).toEqual(required);
});

it('the document describes the two secrets of a registration', () => {
  const { registration_code: code, password } = schemas.Registration!.properties;
  expect([code!.description, password!.description]).toEqual([
    expect.stringMatching(/^The code of the winner/),
    expect.stringMatching(/^The password of the reserved or disputed name/),
  ]);
});

it('the document limits every text of a body', () => {
  const bodies = operations
    .flatMap(({ requestBody }) => requestBody?.content['application/json'].schema.$ref ?? [])
    .map((reference) => reference.split('/').at(-1)!);
  expect(bodies).toContain('ContactCreation');
  expect(bodies.flatMap((name) => unlimited(schemas[name]!, name))).toEqual([]);
});

/** The paths of texts that may have any length and form. */
function unlimited(schema: Schema, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    unlimited(inner, `${path}.${name}`),
  );
  const isText = [schema.type].flat().includes('string');
  const isLimited = ['maxLength', 'enum', 'const', 'format', 'pattern'].some(
    (key) => key in schema,
  );
  return isText && !isLimited ? [path, ...fields] : fields;
}

it('the document says nothing of how the service is built', () => {
  const internals =
    /\b(KV|SQL|SQLite|Drizzle|zod|Hono|workerd|wrangler|Cloudflare|isolate|Worker|src\/|__schema|x-clearable|[a-z]+\.ts)\b/g;
  expect(JSON.stringify(document).match(internals)).toBeNull();
});

it('each call that can answer 2304 says for which cause', () => {
  const causes: Record<string, string[]> = {};
  for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const { operationId, responses } of Object.values(item)) {
      const { description = '' } = responses[400] ?? {};
      if (!path.startsWith('/repp/v1/')) continue;
      const [, ...said] = `\n${description}`.split(/\n(?:- )?`2304`: /);
      if (said.length > 0) causes[operationId] = said.map((text) => text.split('\n')[0]!);
    }
  }
  const ofStatus = 'a status of the contact prohibits the';
  const ofSystem = 'a system calls, which cannot change the registrar’s webhook';
  expect(causes).toEqual({
    updateContact: [`${ofStatus} update`],
    deleteContact: [`${ofStatus} deletion`],
    approveVerification: [
      `nothing waits for a decision, ${ofStatus} update, or the contact cannot have the identity`,
    ],
    rejectVerification: ['nothing waits for a decision'],
    replaceSecret: [
      'the secret is new, and the one before it still works; it has been replaced by one that is in use; or a system calls, which has none',
    ],
    setWebhook: [ofSystem],
    replaceWebhookSecret: [`four replaced secrets sign already; or ${ofSystem}`],
    testWebhook: [`the receiver has answered 410; or ${ofSystem}`],
    deleteWebhook: [ofSystem],
  });
});

it('the country of an address is a string that may be empty', () => {
  const address = schemas.RegistrantContact!.properties.address!.properties;
  for (const { country_code } of [schemas.RegistrarContact!.properties, address]) {
    expect(country_code).toMatchObject({ type: 'string' });
    expect(country_code!.description).toContain('Empty in an answer if');
    expect(country_code).not.toHaveProperty('pattern');
  }
});
