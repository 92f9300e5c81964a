import { beforeAll, expect, it, vi } from 'vitest';
import { loadDemoData } from '../../../src/cli/demo/load.ts';
import type { Env } from '../../../src/env.ts';
import { app } from '../../../src/http/app.ts';
import { openApiDocument } from '../../../src/http/document.openapi.ts';
import { type InterfaceName, interfaceOf } from '../../../src/http/interface.ts';
import { addPerson, basic } from '../../support/fixtures.ts';
import { startWorker } from '../../support/worker.ts';

/** With the limits of a deployment, which an example names. */
const worker = startWorker({ IDENTITY_SERVICE_ALLOWED_IPS: '127.0.0.1' }, 'production');

beforeAll(() => loadDemoData(worker.env));

interface Answer {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
}

const { paths, components } = JSON.parse(JSON.stringify(openApiDocument()));

/** Each answer of the document in JSON with a status that every interface refuses with in its own form. */
const answers = Object.entries(paths as Record<string, Record<string, object>>).flatMap(
  ([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]: [string, { responses?: object }]) =>
      Object.entries(responses ?? {})
        .map(([status, answer]: [string, Answer]) => {
          const { $ref } = answer;
          const whole: Answer = $ref ? components.responses[$ref.split('/').at(-1)!] : answer;
          return {
            path,
            method,
            status: Number(status),
            media: whole.content?.['application/json'],
          };
        })
        .filter(({ status, media }) => media && [405, 413, 429, 500].includes(status)),
    ),
);

const uuid = crypto.randomUUID();
const limiter = { limit: async () => ({ success: false }) };
const noRoom = { ADDRESS_LIMITER: limiter, CALLER_LIMITER: limiter, SYSTEM_LIMITER: limiter };

const fail = () => Promise.reject(new Error('no such table'));
const statement = { bind: () => statement, all: fail, raw: fail, run: fail, first: fail };
const connection = { prepare: () => statement, batch: fail, getBookmark: () => null };
const failing = {
  DB: { ...connection, withSession: () => connection },
  LISTS: { get: fail, getWithMetadata: fail },
  VERSION: undefined,
};

/** By interface, a call that takes a body if one does, and one that reads; and the login of both. */
const requests: Partial<
  Record<InterfaceName, { write?: [method: string, path: string]; read: string; login?: string }>
> = {
  registrar: {
    write: ['POST', '/repp/v1/contacts'],
    read: '/repp/v1/contacts',
    login: basic('alpha', 'alpha-demo-secret'),
  },
  registrant: {
    write: ['PATCH', `/api/v1/registrant/contacts/${uuid}`],
    read: '/api/v1/registrant/contacts',
    login: 'PERSON',
  },
  auction: { write: ['PATCH', `/api/v1/auctions/${uuid}`], read: `/api/v1/auctions/${uuid}` },
  internal: {
    write: ['POST', '/api/v1/internal/names/kohv.ee/registration'],
    read: '/api/v1/internal/names/x.ee',
    login: 'Bearer epp-demo-key',
  },
  lists: { write: ['POST', '/repp/v1/retained_domains/lookup'], read: '/repp/v1/retained_domains' },
  other: { write: ['POST', '/eeid/webhooks/identification_requests'], read: '/health' },
};

/** Makes the service refuse a call of the interface with the status, and returns the body. */
async function refused(name: InterfaceName, status: number): Promise<unknown> {
  const { write, read, login } = requests[name]!;
  const isLarge = status === 413;
  const [method, path] = isLarge ? write! : [status === 405 ? 'PROPFIND' : 'GET', read];
  const headers = {
    'CF-Connecting-IP': '127.0.0.1',
    'Content-Type': 'application/json',
    ...(login && { Authorization: login === 'PERSON' ? await person() : login }),
  };
  const body = isLarge ? { body: JSON.stringify({ names: ['x'.repeat(70_000)] }) } : {};
  // Logins are counted by their address first.
  const { ADDRESS_LIMITER: _, ...others } = noRoom;
  const changed = { 429: login ? others : noRoom, 500: failing }[status] ?? {};
  const env = { ...worker.env, ...changed } as Env;
  const response = await app.request(path, { method, headers, ...body }, env);
  expect([path, response.status]).toEqual([path, status]);
  return response.json();
}

async function person(): Promise<string> {
  return (await addPerson(worker.env)).authorization;
}

const withoutId = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/request id [0-9a-f-]{36}/g, 'request id'));

const kinds = [...Map.groupBy(answers, ({ path, status }) => `${interfaceOf(path)} ${status}`)];

it.each(kinds)('the examples of %s are what the service answers', async (kind, [...all]) => {
  vi.spyOn(console, 'error').mockReturnValue();
  const [name, status] = kind.split(' ') as [InterfaceName, string];
  const answer = await refused(name, Number(status));
  for (const { path, method, media } of all) {
    const examples = Object.values(media!.examples ?? {}).map(({ value }) => withoutId(value));
    expect([path, method, examples]).toEqual([path, method, [withoutId(answer)]]);
  }
});

it('every interface has these answers', () => {
  const names = new Set(kinds.map(([kind]) => kind.split(' ')[0]));
  expect([...names].sort()).toEqual(Object.keys(requests).sort());
  expect(answers.length).toBeGreaterThan(60);
});
