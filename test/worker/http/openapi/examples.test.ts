import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookDeliveries } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../../src/base/database/open.ts';
import {
  grantDisclosure,
  openDisclosure,
} from '../../../../src/contact/operator/disclosure/disclosure.ts';
import { loadDemoData } from '../../../../src/dev/demo/load.ts';
import { archiveLists } from '../../../../src/list/archive/archive.ts';
import { auctionList, listNames } from '../../../../src/list/lists.ts';
import { publish } from '../../../../src/list/publish/publish.ts';
import { getRegistrar } from '../../../../src/party/registrar/account.ts';
import { type Example, examples } from '../../../../src/worker/http/openapi/example.ts';
import { answerOf } from '../../../support/client.ts';
import { basic, operator } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { type Operation, operations } from './operations.ts';

/**
 * The examples of the document are what the service answers with the demo data, and a disclosure to show. To record
 * those that differ after a change that is meant, run this file with RECORD_EXAMPLES=yes, and read the difference.
 */
const isRecording = process.env.RECORD_EXAMPLES === 'yes';
const file = 'src/worker/http/openapi/examples.json';

const named = operations.flatMap((call) =>
  Object.entries(examples[call.operationId] ?? {}).map(([name, example]) => ({
    name,
    call,
    example,
  })),
);

/** Reads come before writes, and each after the calls that it shows the work of. */
const inOrder: typeof named = [];
const waiting = named.toSorted(
  (a, b) => Number(a.call.method !== 'GET') - Number(b.call.method !== 'GET'),
);
while (waiting.length > 0) {
  const next = waiting.findIndex(
    ({ example }) => !waiting.some(({ call }) => call.operationId === example.after),
  );
  inOrder.push(...waiting.splice(Math.max(next, 0), 1));
}

/**
 * The values that differ from run to run: instants (but those of the demo data itself), the ids of requests, tokens, secrets,
 * registration codes, the release and its build.
 */
function withoutChanging(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    if (key === 'access_token') return '<token>';
    if (key === 'link') return '<link>';
    if (key === 'secret') return '<secret>';
    if (key === 'id' && String(inner).startsWith('msg_')) return '<delivery>';
    if (key === 'verification') return '<verification>';
    if (key === 'registration_code' && inner !== null) return '<code>';
    if (key === 'version' || key === 'build') return `<${key}>`;
    if (key === 'request_id' && inner !== 'demo-data') return '<request id>';
    const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(inner);
    return isInstant && inner !== '2025-03-14T09:26:53.589Z' ? '<instant>' : inner;
  });
}

/**
 * What was recorded, but for what the answer has otherwise: an example is recorded anew where it differs in more than
 * values that change from run to run.
 */
function renewed(recorded: unknown, answer: object): object {
  const entries = Object.entries(answer).map(([key, value]) => {
    const before = (recorded as Record<string, unknown> | undefined)?.[key];
    const isSame = isDeepStrictEqual(
      withoutChanging({ [key]: before }),
      withoutChanging({ [key]: value }),
    );
    if (isSame) return [key, before];
    return [key, typeof value === 'object' && value ? renewed(before, value) : value];
  });
  return Array.isArray(answer) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

// In this process, which remembers nothing of the lists that other tests have published.
const worker = shareEmptyWorker({});
let token: string;

beforeAll(async () => {
  const { env, db } = worker;
  await loadDemoData(env);
  const at = (time: string) => new Date(`2026-05-${time}:00Z`);
  await publish({ db, kv: env.LISTS, clock: () => at('01T12:00') }, listNames);
  await archiveLists(env.LISTS, env.ARCHIVE!, [auctionList], at('02T00:01'));
  await worker.scheduled('31 * * * *');
  await disclose(db);
  await deliver(db);
  const { call, example } = named.find(({ call }) => call.operationId === 'createToken')!;
  const { answer } = await ask(call, example);
  token = `Bearer ${answer.access_token}`;
});

async function disclose(db: Database): Promise<void> {
  const { id } = await openDisclosure(
    { db, origin: operator },
    {
      ...{ contact: 'ALPHA:TAMM', requester: 'Mari Maasikas', identifiedBy: 'ID card' },
      ...{ organization: 'Tallinna Ringkonnaprokuratuur', basis: 'KrMS § 215, 26230001234' },
      ...{ requestedFields: ['name', 'email'], isConfidential: false },
      receivedAt: operator.request.at,
    },
  );
  await grantDisclosure({ db, origin: operator }, id, {});
}

/** Two tests of ALPHA's webhook. */
async function deliver(db: Database): Promise<void> {
  const { id: registrarId } = await getRegistrar(db, 'ALPHA');
  const test = (id: string, at: string) => ({
    ...{ id: `msg_${id.repeat(32)}`, registrarId, attempts: 1 },
    ...{ createdAt: at, waitsSince: at, attemptedAt: at },
  });
  const [first, second] = ['2026-05-01T12:00:00.000Z', '2026-05-01T12:05:00.000Z'] as const;
  await db.insert(webhookDeliveries).values([
    { ...test('1', first), outcome: 'no answer in time', failedAt: first },
    { ...test('2', second), outcome: 'HTTP 204', status: 204, deliveredAt: second },
  ]);
}

async function ask({ method, path, parameters, scheme }: Operation, example: Example) {
  const { given = {}, body, isAnonymous } = example;
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(given)) {
    const place = parameters.find((parameter) => parameter.name === name)?.in;
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.set(name, String(value));
    else if (place === 'header') headers[name] = String(value);
    else throw new Error(`the call has no parameter ${name}`);
  }
  const logins = {
    basic: basic('alpha', 'alpha-demo-secret'),
    bearer: token,
    systemKey: 'Bearer epp-demo-key',
  };
  if (scheme && !isAnonymous) headers.Authorization = logins[scheme];
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // A slash at the end makes no difference, and a parameter that no call knows is named.
  query.set('color', 'red');
  const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await worker.fetch(`${filled}/?${query}`, sent);
  const isText = response.headers.get('Content-Type')?.startsWith('text/');
  const answer = isText ? await response.text() : (await answerOf(response)).body;
  const { status } = response;
  expect(response.headers.get('Ignored-Parameters')).toBe(status < 400 ? 'color' : null);
  return { status, answer };
}

it.each(inOrder)('$call.operationId: $name', async ({ call, example }) => {
  const { status, answer } = await ask(call, example);

  expect(status).toBe(example.status ?? 200);
  if (isRecording) Object.assign(example, renewed(example, { answer }));
  expect(withoutChanging({ answer })).toEqual(withoutChanging({ answer: example.answer }));
});

afterAll(async () => {
  if (!isRecording) return;
  await writeFile(file, JSON.stringify(examples, null, 2));
  await promisify(execFile)('node_modules/.bin/biome', ['format', '--write', file]);
});
