import { expect, it, test } from 'vitest';
import { signCheckpoint, signerOf } from '../../../src/list/log/note.ts';
import { openCheckpoint } from '../../../src/list/log/operator/verify.ts';

/** The example of golang.org/x/mod/sumdb/note, which gives both forms of its key. */
const example = {
  seed: 'AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  verifierKey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
};
const withoutAlgorithm = (base64: string) =>
  Buffer.from(base64, 'base64').subarray(1).toString('base64');

const newSigner = (name = 'registry.example/log', seed = 'a') =>
  signerOf(name, Buffer.from(seed.repeat(32)).toString('base64'));

const root = new Uint8Array(32).fill(7);
const checkpoint = { origin: 'registry.example/log', size: 5, root };

test("a seed has the verifier's key that another implementation gives it", async () => {
  const { verifierKey } = await signerOf('PeterNeumann', withoutAlgorithm(example.seed));
  expect(verifierKey).toBe(example.verifierKey);
});

test.each([
  ['nothing', ''],
  ['no base64', '%'],
  ['31 bytes', Buffer.alloc(31).toString('base64')],
])('refuses %s as a key, and repeats none of it', async (_, seed) => {
  await expect(signerOf('a', seed)).rejects.toThrow(
    /^the key of the log must be 32 bytes in base64$/,
  );
});

test.each(['', 'a b', 'a+b', 'a\u0007', 'a\u007f', 'a\n', '\u00f5'])(
  'refuses %j as the name of a log',
  async (name) => {
    await expect(newSigner(name)).rejects.toThrow(/^the name of a log has no spaces, no plus/);
  },
);

test('signs what a verifier opens, the same each time', async () => {
  const signer = await newSigner();
  const note = await signCheckpoint(checkpoint, [signer]);
  expect(note).toMatch(/^registry.example\/log\n5\nBwcH[^\n]+\n\n— registry.example\/log \S+\n$/);
  expect(await signCheckpoint(checkpoint, [await newSigner()])).toBe(note);
  expect(await openCheckpoint(note, signer.verifierKey)).toEqual(checkpoint);
});

test('signs with two keys, either of which opens the checkpoint', async () => {
  const signers = [await newSigner(), await newSigner(undefined, 'b')];
  const note = await signCheckpoint(checkpoint, signers);
  for (const { verifierKey } of signers) {
    expect(await openCheckpoint(note, verifierKey)).toEqual(checkpoint);
  }
});

it.each<[string, (note: string) => string]>([
  ['a changed size', (note) => note.replace('\n5\n', '\n6\n')],
  ['a changed root', (note) => note.replace('BwcH', 'CwcH')],
  ['another origin', (note) => note.replace('registry', 'registrx')],
  ['a line added', (note) => note.replace('\n\n', '\nmore\n\n')],
  ['no signature', (note) => note.replace(/— .*\n/, '')],
  [
    'a changed signature',
    (note) => note.replace(/.==?\n$/, 'A=\n').replace(/(.{8})\n$/, 'AAAAAAA=\n'),
  ],
  ['no text', () => ''],
])('a checkpoint with %s is refused', async (_, change) => {
  const signer = await newSigner();
  const note = await signCheckpoint(checkpoint, [signer]);
  expect(change(note)).not.toBe(note);
  await expect(openCheckpoint(change(note), signer.verifierKey)).rejects.toThrow(
    `the checkpoint has no valid signature of ${signer.verifierKey}`,
  );
});

it('a checkpoint of another key of the same name is refused', async () => {
  const note = await signCheckpoint(checkpoint, [await newSigner(undefined, 'b')]);
  const { verifierKey } = await newSigner();
  await expect(openCheckpoint(note, verifierKey)).rejects.toThrow('no valid signature');
});

it('a checkpoint of another log that has the same key is refused', async () => {
  const signer = await newSigner('other.example');
  const other = await signCheckpoint({ ...checkpoint, origin: 'other.example' }, [signer]);
  const { verifierKey } = await newSigner();
  await expect(openCheckpoint(other, verifierKey)).rejects.toThrow('no valid signature');
});

it.each(['', 'a', 'a+b', 'a+00000000+AA==', example.verifierKey.replace('c7', 'c8')])(
  'a checkpoint is not opened with the key %j',
  async (verifierKey) => {
    const note = await signCheckpoint(checkpoint, [await newSigner()]);
    await expect(openCheckpoint(note, verifierKey)).rejects.toThrow('is not the verifier');
  },
);
