import { expect, test } from 'vitest';
import { putBody } from '../../../src/list/archive/body.ts';
import { type Block, buildBlock, openBlock } from '../../../src/list/format/block.ts';
import { entryOf } from '../../../src/list/format/entry.ts';
import { bodyBytes, createHead } from '../../../src/list/format/head.ts';
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

/** A bucket with one place, and `put` of its own. */
function bucketWith(put: (body: ReadableStream<Uint8Array>) => Promise<Blob>) {
  let stored: Blob | undefined;
  return {
    head: async () => stored ?? null,
    async put(_: string, body: ReadableStream<Uint8Array>) {
      stored = await put(body);
    },
  } as never;
}

const blobOf = (body: ReadableStream<Uint8Array>) => new Response(body as never).blob() as never;

test('loads no block long before R2 takes it', async () => {
  const { head, load, loaded } = await listOf(200);
  const ahead: number[] = [];
  const bucket = bucketWith(async (body) => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const part of body) {
      // The beginning, then a comma before each block but the first.
      ahead.push(loaded() - parts.length / 2);
      parts.push(new Uint8Array(part));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return new Blob(parts);
  });
  await putBody(bucket, head, load);
  expect(ahead.length).toBeGreaterThan(200);
  expect(Math.max(...ahead)).toBeLessThan(10);
});

test('puts nothing that is there already, and loads nothing', async () => {
  const { head, load, loaded } = await listOf(3);
  const bucket = bucketWith(async (body) => {
    const stored = await blobOf(body);
    expect((stored as Blob).size).toBe(bodyBytes(head));
    return stored;
  });
  await putBody(bucket, head, load);
  await putBody(bucket, head, load);
  expect(loaded()).toBe(3);
});

test('fails at once if R2 stops taking it midway, and when a block cannot be loaded', async () => {
  const { head, load, loaded } = await listOf(50);
  const stopping = bucketWith(async (body) => {
    await body.getReader().read();
    throw new Error('R2 failed');
  });
  await expect(putBody(stopping, head, load)).rejects.toThrow('R2 failed');
  expect(loaded()).toBeLessThan(20);
  const failing = async (block: Block) => {
    if (block === head.blocks[20]) throw new Error('KV failed');
    return load(block);
  };
  await expect(putBody(bucketWith(blobOf), head, failing)).rejects.toThrow('KV failed');
});
