import { expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/document.openapi.ts';
import { addPerson, addRegistrar } from '../../fixtures.ts';
import { onTheWire } from '../../wire.ts';
import { shareWorker } from '../../worker.ts';

const worker = shareWorker();

interface Operation {
  security?: object[];
  responses: Record<string, unknown>;
}

const { paths } = JSON.parse(JSON.stringify(openApiDocument()));
const calls = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, { security = [], responses }]) => ({
      method: method.toUpperCase(),
      path,
      scheme: Object.keys(security[0] ?? {})[0],
      isRefused: '413' in responses,
    })),
);

const tooLarge = Buffer.from(JSON.stringify({ text: 'x'.repeat(64 * 1024) }));

it.each(calls)('$method $path refuses a body of more than 64 KiB: $isRefused', async (call) => {
  const { method, path, scheme, isRefused } = call;
  const caller = { basic: addRegistrar, bearer: addPerson }[scheme ?? ''];
  const { authorization } = (await caller?.(worker.env)) ?? {};
  const headers = {
    'Content-Type': 'application/json',
    // Node sends none with a GET or a DELETE of its own accord.
    'Content-Length': String(tooLarge.length),
    ...(authorization && { Authorization: authorization }),
  };
  const sent = path.replace(/\{.*?\}/g, crypto.randomUUID());
  const { status } = await onTheWire(worker.url, sent, { method, headers, body: tooLarge });
  expect(status === 413).toBe(isRefused);
});
