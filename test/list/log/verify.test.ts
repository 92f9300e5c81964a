import { expect, it } from 'vitest';
import { checkEntries } from '../../../src/list/log/operator/verify.ts';
import { leafHash, rootOf } from '../../../src/list/log/tree.ts';

const digest = '0a'.repeat(32);
const line = (day: number, list = 'all') => `${list} 2026-05-0${day} e${day} ${digest} ${day}\n`;
const log = [line(1), line(1, 'blocked'), line(2), line(2, 'blocked'), line(3)];
const bytes = (lines: string[]) => lines.map((text) => new TextEncoder().encode(text));
const checkpointOf = async (lines: string[]) => ({
  ...{ origin: 'a', size: lines.length },
  root: await rootOf(await Promise.all(bytes(lines).map(leafHash))),
});

const check = async (lines: string[], signed = lines, seen?: string[]) =>
  checkEntries(await checkpointOf(signed), bytes(lines), seen && (await checkpointOf(seen)));

it('the leaves of a log are read, if the checkpoint signs them and they begin with those seen before', async () => {
  const leaves = await check(log, log, log.slice(0, 3));
  expect(leaves).toHaveLength(5);
  expect(leaves[1]).toEqual({
    ...{ at: 1, list: 'blocked', day: '2026-05-01', etag: 'e1', sha256: digest, count: 1 },
  });
  expect(await check(log, log, log)).toHaveLength(5);
  expect(await check([])).toEqual([]);
});

it('the leaves of a log are refused if one was changed', async () => {
  const changed = log.with(2, log[2]!.replace('e2', 'e3'));
  await expect(check(changed, log)).rejects.toThrow('are not those that its checkpoint signs');
});

it('the leaves of a log are refused if one is lost', async () => {
  await expect(check(log.slice(1), log)).rejects.toThrow('4 of 5 are there');
});

it('the leaves of a log are only said to be forked if the checkpoint signs them', async () => {
  const changed = log.with(0, log[0]!.replace('e1', 'e9'));
  await expect(check(changed, log, log.slice(0, 3))).rejects.toThrow('that its checkpoint signs');
});

it('the leaves of a log are refused if one has characters beyond ASCII or bytes that are not UTF-8', async () => {
  await expect(check([line(1, 'a\u00a0l')])).rejects.toThrow('leaf 0 is not about');
  const latin = [Buffer.from(line(1, 'bl\u00f6cked'), 'latin1')];
  const checkpoint = { origin: 'a', size: 1, root: await leafHash(latin[0]!) };
  await expect(checkEntries(checkpoint, latin)).rejects.toThrow('leaf 0 is not about');
});

it('the leaves of a log are refused if the log was forked', async () => {
  const forked = log.with(0, log[0]!.replace('e1', 'e9'));
  await expect(check(forked, forked, log.slice(0, 3))).rejects.toThrow(
    'forked: its first 3 leaves',
  );
});

it('the leaves of a log are not said to be forked if they are of another log', async () => {
  const seen = { ...(await checkpointOf(log.slice(1))), origin: 'b' };
  await expect(checkEntries(await checkpointOf(log), bytes(log), seen)).rejects.toThrow(
    'the log is a, and the one seen before was b',
  );
});

it('the leaves of a log are refused if the log has shrunk', async () => {
  const shrunk = log.slice(0, 3);
  await expect(check(shrunk, shrunk, log)).rejects.toThrow('it had 5 leaves, and now has 3');
});

it('the leaves of a log are refused if they say a day twice', async () => {
  const twice = [...log, line(3)];
  await expect(check(twice)).rejects.toThrow('leaf 5 is about all on 2026-05-03, which comes');
});

it('the leaves of a log are refused if one says nothing', async () => {
  await expect(check([...log, 'all\n'])).rejects.toThrow('leaf 5 is not about a list and a day');
});
