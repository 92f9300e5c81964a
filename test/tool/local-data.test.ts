import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { daysBefore } from '../../src/base/time/day.ts';
import { prepareLocalData } from '../../src/dev/start/data.ts';
import { readDailyCounts } from '../../src/list/daily-counts.ts';
import { readFacts } from '../../src/list/read/parts.ts';
import { findDatabaseFile, openFile } from '../../src/tool/local/file.ts';
import { readBytes } from '../../src/view/alarm.ts';
import { newReader } from '../list/reader.ts';
import { openData } from './tool.ts';

const directory = mkdtempSync(join(tmpdir(), 'local-data-'));
let env: Env;
let dispose: () => Promise<void>;

beforeAll(async () => {
  ({ env, dispose } = await openData(directory));
});
afterAll(async () => {
  await dispose();
  rmSync(directory, { recursive: true });
});

/** The figures that the page reads. */
async function read() {
  const { reader } = newReader(env, () => new Date());
  return { facts: await readFacts(reader), days: await readDailyCounts(reader) };
}

it('prepares a year of daily counts, which ends with what the lists have today', async () => {
  await prepareLocalData(env, { isDemoWanted: true });
  const { facts, days } = await read();
  expect(days).toHaveLength(366);
  const [first, last] = [days[0]!, days.at(-1)!];
  expect(last.counts).toEqual({
    auctions: facts.auctions!.count,
    reserved: facts.reserved!.count,
    blocked: facts.blocked!.count,
    disputed: facts.disputed!.count,
  });
  expect(last.counts).toEqual({ auctions: 7, reserved: 24, blocked: 22, disputed: 16 });
  expect(first.day).toBe(daysBefore(last.day, 365));
  expect(new Set(days.map(({ counts }) => counts.auctions)).size).toBeGreaterThan(5);
});

it('keeps the counts of earlier days when it prepares the same data again', async () => {
  await env.DB.prepare('update daily_counts set count = 99 where count = 15').run();
  await prepareLocalData(env, { isDemoWanted: true });
  const { days } = await read();
  expect(days).toHaveLength(366);
  expect(days[0]!.counts.reserved).toBe(99);
});

it('knows how large a database is that it reads from its file', async () => {
  const file = findDatabaseFile(inject('emptyRegistry'), undefined)!;
  const { database, close } = openFile(file);
  const bytes = await readBytes(openDatabase(database));
  close();
  expect(bytes).toBe(statSync(file).size);
});
