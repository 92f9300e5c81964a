import fc from 'fast-check';
import { app } from '../../src/worker/http/app.ts';
import { operations } from '../worker/http/openapi/operations.ts';
import { bentBody, plainText, validBody } from './bodies.ts';
import { brokenBody, formBody, hostileHeader, hostileText, mostly } from './hostile.ts';
import type { Caller, World } from './world.ts';

/** A request as it goes over the wire. */
export interface Sent {
  caller: Caller;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Route {
  path: string;
  methods: string[];
}

/** Every route of the application, so that a new one is attacked from its first day; writes more often than reads. */
const routes: Route[] = Array.from(
  Map.groupBy(
    app.routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*')),
    ({ path }) => path,
  ),
  ([path, handlers]) => ({
    path: path.replace(/(?<=.)\/$/, ''),
    methods: handlers.flatMap(({ method }) =>
      ['PUT', 'PATCH'].includes(method) ? [method, method] : [method],
    ),
  }),
);

/** Where there is nothing. */
const nowhere: Route[] = [
  '/x',
  '/et/x',
  '/repp',
  '/repp/v1',
  '/repp/v1/domains',
  '/api/v1',
  '/api/v1/registrant',
].map((path) => ({ path, methods: ['GET', 'POST'] }));

const anyMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');

/** A part of a path: percent-encoded, or as hostile as a client can put it there. */
const hostilePart = fc.oneof(
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
  hostileText.map((text) => text.replace(/[^\x21-\x7e]|[?#]/g, '')),
  fc.constantFrom(
    '%',
    '%zz',
    '%2f',
    '%2F..%2f',
    '%00',
    '%c0%af',
    '%e2%82',
    '..',
    '.',
    ';a=1',
    '%e9',
  ),
  fc.constantFrom(300, 2_000, 8_000).map((length) => 'a'.repeat(length)),
);

function pathOf(route: Route, world: World): fc.Arbitrary<string> {
  const [slot] = /:\w+(\{.*?\})?/.exec(route.path) ?? [];
  const known = fc.constantFrom(...(findValues(route.path)?.(world) ?? ['1']));
  const filled = (slot ? mostly(known, hostilePart) : known).map((value) =>
    slot ? route.path.replace(slot, () => value) : route.path,
  );
  const bent = fc
    .tuple(filled, fc.nat(5), hostilePart)
    .map(
      ([path, way, part]) =>
        [
          `${path}/`,
          path.replaceAll('/', '//'),
          `${path}/${part}`,
          path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
          path.toUpperCase(),
          `/x/..${path}/./`,
        ][way] as string,
    );
  return mostly(filled, bent, 8);
}

/** Values for the variable part of the paths below these, most of which exist. */
const valuesBelow: Record<string, (world: World) => string[]> = {
  '/repp/v1/contacts/': ({ ownContacts, codes, prefix }) => {
    const own = ownContacts.map(({ code }) => code);
    return [
      ...own,
      ...own,
      ...codes,
      ...['F1', 'F2', 'F3', 'F4'].map((id) => `${prefix}:${id}`),
      'F1',
    ];
  },
  '/repp/v1/registrar/notifications/': ({ notificationIds }) => notificationIds.map(String),
  '/api/v1/registrant/contacts/': ({ personsUuids, uuids }) => [
    ...personsUuids,
    ...personsUuids,
    ...uuids,
  ],
  '/api/v1/auctions/': ({ auctionUuids }) => auctionUuids,
  '/api/v1/internal/auctions/': ({ auctionUuids }) => auctionUuids,
  '/api/v1/internal/contacts/': ({ codes }) => codes,
  '/api/v1/internal/domains/': () => ['told.ee', 'retained1.ee', 'xn--mda.ee', '%C3%B5.ee'],
  '/api/v1/internal/names/': () => ['retained1.ee', 'free.ee', 'xn--mda.ee', '%C3%B5.ee'],
  '/api/v1/internal/retained_domains/': () => ['retained1.ee', 'free.ee', '%C3%B5.ee'],
  '/repp/v1/retained_domains/': () => ['retained1.ee', 'free.ee', 'xn--mda.ee', '%C3%B5.ee'],
};

export const findValues = (path: string) =>
  Object.entries(valuesBelow).find(([prefix]) => path.startsWith(prefix))?.[1];

/** The parameters of all queries, so that each call gets its own and those of others. */
const knownParameters = operations.flatMap(({ parameters }) =>
  parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
);

const queryOf: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  {
    weight: 5,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(...knownParameters, 'x', '__proto__', 'limit[]'),
          mostly(
            fc.constantFrom(
              '1',
              '200',
              '0',
              '3',
              'true',
              'false',
              'reserved',
              'blocked',
              'disputed',
              '-length',
              'retained1.ee',
              'mari',
              'EE',
              '38001085718',
              'ok',
              'pendingDelete',
              'mari@example.ee',
              '2026-01-02',
            ),
            fc.oneof(
              fc.constantFrom(
                '',
                '-1',
                '201',
                '1e3',
                '0x10',
                '1.5',
                '9'.repeat(300),
                '%00',
                '%',
                '+',
              ),
              hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
            ),
          ),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
  },
);

/** Headers besides who calls. */
function extraHeaders(world: World): fc.Arbitrary<Record<string, string>> {
  const versions = fc.tuple(fc.constantFrom(...world.uuids), fc.integer({ min: 1, max: 9 }));
  return fc.record(
    {
      'Idempotency-Key': mostly(fc.constantFrom('k1', 'k2', '"k3"', '"k 4"'), hostileHeader, 4),
      'If-Match': mostly(
        fc.oneof(
          fc.constant('*'),
          versions.map(([uuid, version]) => `"${uuid.slice(0, 8)}-${version}"`),
        ),
        hostileHeader,
      ),
      'If-None-Match': hostileHeader,
      'X-Client-Transaction-Id': mostly(fc.constantFrom('ref-1', 'a b'), hostileHeader, 2),
      'RPP-Cltrid': hostileHeader,
      'Access-Control-Request-Headers': hostileHeader,
      Origin: hostileHeader,
      Accept: hostileHeader,
      'Accept-Encoding': fc.oneof(fc.constantFrom('gzip', 'br', 'gzip;q=0', '*'), hostileHeader),
      'X-Request-Id': hostileHeader,
      'X-Forwarded-For': fc.constantFrom('192.0.2.1', '::1'),
      Authorization: hostileHeader,
    },
    { requiredKeys: [] },
  );
}

/** Most requests carry few of them, or a condition that fails would hide what is behind it. */
const someHeaders = (world: World) =>
  fc.tuple(extraHeaders(world), fc.nat(3)).map(([headers, count]) => {
    const names = Object.keys(headers).filter((name) => name !== 'Authorization' || count === 3);
    return Object.fromEntries(names.slice(0, count).map((name) => [name, headers[name] as string]));
  });

const contentType = mostly(
  fc.constantFrom('application/json', 'application/json; charset=utf-8'),
  fc.oneof(
    fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''),
    hostileHeader,
  ),
  12,
);

export const loopback = '127.0.0.1';

/** Where the request comes from, as the edge says it. */
const callerAddress = mostly(
  fc.constant(loopback),
  fc.constantFrom(
    undefined,
    '192.0.2.1',
    '::ffff:192.0.2.1',
    '127.0.0.1, 192.0.2.1',
    'localhost',
    '',
  ),
  20,
);

/** Requests over all routes and methods, most of them right but for one thing. */
export function requestTo(world: World): fc.Arbitrary<Sent> {
  return mostly(fc.constantFrom(...routes), fc.constantFrom(...nowhere), 15).chain((route) =>
    mostly(fc.constantFrom(...route.methods), anyMethod, 12).chain((method) => {
      const isRegistrant = route.path.startsWith('/api/v1/registrant');
      const isInternal = route.path.startsWith('/api/v1/internal');
      const owners = isRegistrant ? [world.registrant] : [world.registrar, world.acting];
      const caller = mostly(
        fc.constantFrom(...(isInternal ? [world.system] : owners)),
        fc.constantFrom(
          world.registrant,
          world.registrar,
          world.system,
          world.acting,
          ...world.intruders,
        ),
        3,
      );
      const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
      const valid = validBody(method, route.path, world) ?? fc.constant({});
      const json = fc.oneof(
        { weight: 5, arbitrary: valid.map((body) => JSON.stringify(body)) },
        { weight: 4, arbitrary: bentBody(valid) },
        { weight: 1, arbitrary: brokenBody },
      );
      const asJson = fc.record({ body: json, type: contentType });
      const asForm = formBody(mostly(plainText, hostileText, 2)).map((body) => ({
        body,
        type: 'application/x-www-form-urlencoded',
      }));
      const noBody = fc.constant({ body: '', type: undefined });
      const content = hasBody ? (isRegistrant ? mostly(asJson, asForm, 2) : asJson) : noBody;
      return fc
        .tuple(caller, pathOf(route, world), queryOf, someHeaders(world), content, callerAddress)
        .map(([from, path, query, headers, { body, type }, address]) => ({
          caller: from,
          method,
          path: path + query,
          headers: {
            ...(address === undefined ? {} : { 'CF-Connecting-IP': address }),
            ...from.headers,
            ...headers,
            ...(type === undefined ? {} : { 'Content-Type': type }),
          },
          body,
        }));
    }),
  );
}
