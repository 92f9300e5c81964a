import { expect, test } from 'vitest';
import { putBody } from '../../../src/list/archive/body.ts';
import { type Block, buildBlock, openBlock } from '../../../src/list/format/block.ts';
import { bodyBytes } from '../../../src/list/format/body.ts';
import { entryOf } from '../../../src/list/format/entry.ts';
import { createHead } from '../../../src/list/format/head.ts';
import { lentBucket } from '../../support/lent-bucket.ts';

lentBucket({} as never);

/** A list of many blocks, and how many of them were loaded. */
async function listOf(count: number) {
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  const blocks: Block[] = [];
  for (let index = 0; index < count; index++) {
    const name = `n${String(index).padStart(4, '0')}.ee`;
    const { block, value } = await buildBlock('', [entryOf([name, name, 'reserved'])]);
    data.set(block.digest, openBlock(value.buffer).data);
    blocks.push(block);
  }
  const head = await createHead('all', '', blocks);
  let loaded = 0;
  const load = async ({ digest }: Block) => {
    loaded += 1;
    return data.get(digest)!;
  };
  return { head, load, loaded: () => loaded };
}

test('loads no block long before R2 takes it', async () => {
  const { head, load, loaded } = await listOf(200);
  const ahead: number[] = [];
  const bucket = {
    head: async () => null,
    async put(_: string, body: ReadableStream<Uint8Array>) {
      let [parts, bytes] = [0, 0];
      for await (const part of body) {
        // The beginning, then a comma before each block but the first.
        ahead.push(loaded() - parts++ / 2);
        bytes += part.length;
        await new Promise((resolve) => setTimeout(resolve));
      }
      expect(bytes).toBe(bodyBytes(head));
    },
  };
  await putBody(bucket as never, head, load);
  expect(Math.max(...ahead)).toBeLessThan(10);
});

test('gives the digest of what is there already, and puts nothing', async () => {
  const { head, load } = await listOf(3);
  const put = async (_: string, body: ReadableStream) => new Response(body as never).text();
  const first = await putBody({ head: async () => null, put } as never, head, load);
  const refuse = () => Promise.reject(new Error('locked'));
  const again = await putBody({ head: async () => ({}), put: refuse } as never, head, load);
  expect(again).toEqual(first);
});

test('takes what another run has put meanwhile, and a lock rule refuses to replace', async () => {
  const { head, load } = await listOf(3);
  const put = async (_: string, body: ReadableStream) => new Response(body as never).text();
  const first = await putBody({ head: async () => null, put } as never, head, load);
  let looks = 0;
  const late = {
    head: async () => (looks++ === 0 ? null : {}),
    put: () => Promise.reject(new Error('locked')),
  };
  expect(await putBody(late as never, head, load)).toEqual(first);
});

test('fails at once if R2 stops taking it midway, and when a block cannot be loaded', async () => {
  const { head, load, loaded } = await listOf(50);
  const stopping = {
    head: async () => null,
    async put(_: string, body: ReadableStream) {
      await body.getReader().read();
      throw new Error('R2 failed');
    },
  };
  await expect(putBody(stopping as never, head, load)).rejects.toThrow('R2 failed');
  expect(loaded()).toBeLessThan(20);
  let aborted: unknown;
  const bucket = {
    head: async () => null,
    put: (_: string, body: ReadableStream) =>
      new Response(body as never).text().catch((error) => {
        aborted = error;
        throw error;
      }),
  };
  const failing = async (block: Block) => {
    if (block === head.blocks[20]) throw new Error('KV failed');
    return load(block);
  };
  await expect(putBody(bucket as never, head, failing)).rejects.toThrow('KV failed');
  expect(aborted).toBeDefined();
});
