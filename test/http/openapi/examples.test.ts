import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveLists } from '../../../src/archive/archive.ts';
import { loadDemoData } from '../../../src/cli/demo/load.ts';
import type { Database } from '../../../src/database/open.ts';
import { grantDisclosure, openDisclosure } from '../../../src/disclosure/disclosure.ts';
import { openApiDocument } from '../../../src/http/document.openapi.ts';
import { type Example, examples } from '../../../src/http/openapi/example.ts';
import { auctionList, listNames } from '../../../src/public-list/lists.ts';
import { publish } from '../../../src/public-list/publish/publish.ts';
import { basic, operator } from '../../support/fixtures.ts';
import { startIdentityService } from '../../support/identity-service.ts';
import { startWorker } from '../../support/worker.ts';

/**
 * The examples of the document are what the service answers with the demo data, and a disclosure to show. To record them again after a change that
 * is meant, run this file with RECORD_EXAMPLES=yes, then `npm run format`, and read the difference.
 */
const isRecording = process.env.RECORD_EXAMPLES === 'yes';
const file = 'src/http/openapi/examples.json';

interface Call {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  security: string | undefined;
}

const { paths, components } = JSON.parse(JSON.stringify(openApiDocument()));

/** Every call of the document that has examples. */
const calls: Call[] = Object.entries(paths as Record<string, Record<string, Operation>>)
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters = [], security }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(resolved),
      security: Object.keys(security[0] ?? {})[0],
    })),
  )
  .filter(({ operationId }) => operationId in examples);

interface Operation {
  operationId: string;
  parameters?: Reference[];
  security: object[];
}
type Reference = { $ref: string } | { name: string; in: string };

function resolved(parameter: Reference): { name: string; in: string } {
  if (!('$ref' in parameter)) return parameter;
  return components.parameters[parameter.$ref.split('/').at(-1)!];
}

const named = calls.flatMap((call) =>
  Object.entries(examples[call.operationId]!).map(([name, example]) => ({
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
    if (key === 'verification') return '<verification>';
    if (key === 'registration_code' && inner !== null) return '<code>';
    if (key === 'version' || key === 'build') return `<${key}>`;
    if (key === 'request_id' && inner !== 'demo-data') return '<request id>';
    const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(inner);
    return isInstant && inner !== '2025-03-14T09:26:53.589Z' ? '<instant>' : inner;
  });
}

const identityService = await startIdentityService();
const worker = startWorker(identityService.settings);
let token: string;

beforeAll(async () => {
  const { env, db } = worker;
  await loadDemoData(env);
  const at = (time: string) => new Date(`2026-05-${time}:00Z`);
  await publish(db, env.LISTS, listNames, () => at('01T12:00'));
  await archiveLists(db, env.LISTS, env.ARCHIVE!, [auctionList], at('02T00:01'));
  await worker.scheduled('31 * * * *');
  await disclose(db);
  const [url, init] = exampleOf('createToken', 'person');
  const { access_token } = (await (await worker.fetch(url, init)).json()) as Record<string, string>;
  token = `Bearer ${access_token}`;
});

async function disclose(db: Database): Promise<void> {
  const { id } = await openDisclosure(db, operator, {
    ...{ contact: 'ALPHA:TAMM', requester: 'Mari Maasikas', identifiedBy: 'ID card' },
    ...{ organization: 'Tallinna Ringkonnaprokuratuur', basis: 'KrMS § 215, 26230001234' },
    ...{ requestedFields: ['name', 'email'], isConfidential: false },
    receivedAt: operator.request.at,
  });
  await grantDisclosure(db, operator, id, {});
}

function exampleOf(operationId: string, name: string) {
  const call = calls.find((each) => each.operationId === operationId)!;
  return requestOf(call, examples[operationId]![name]!);
}

function requestOf({ method, path, parameters, security }: Call, example: Example) {
  const { given = {}, body, isAnonymous } = example;
  const headers = new Headers();
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(given)) {
    const place = parameters.find((parameter) => parameter.name === name)?.in;
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.set(name, String(value));
    else if (place === 'header') headers.set(name, String(value));
    else throw new Error(`the call has no parameter ${name}`);
  }
  if (security && !isAnonymous) {
    const logins: Record<string, string> = {
      basic: basic('alpha', 'alpha-demo-secret'),
      bearer: token,
      systemKey: 'Bearer epp-demo-key',
    };
    headers.set('Authorization', logins[security]!);
  }
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const url = query.size > 0 ? `${filled}?${query}` : filled;
  return [
    url,
    { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
  ] as const;
}

it.each(inOrder)('$call.operationId: $name', async ({ call, example }) => {
  const [url, init] = requestOf(call, example);
  const response = await worker.fetch(url, init);
  const answer: unknown = await response.json();

  expect(response.status).toBe(example.status ?? 200);
  if (isRecording) example.answer = answer;
  expect(withoutChanging(answer)).toEqual(withoutChanging(example.answer));
});

afterAll(async () => {
  if (isRecording) await writeFile(file, `${JSON.stringify(examples, null, 2)}\n`);
});

it('every call that answers JSON has an example', () => {
  const without = Object.values(paths as Record<string, Record<string, Operation>>)
    .flatMap((item) => Object.entries(item))
    .filter(([method]) => method !== 'options')
    .map(([, { operationId }]) => operationId)
    .filter((id) => !(id in examples) && !/Page|Log/.test(id));
  expect(without).toEqual([]);
});
