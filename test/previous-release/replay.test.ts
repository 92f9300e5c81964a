import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unstable_splitSqlQuery } from 'wrangler';
import { openLocalData } from '../../src/cli/local.ts';
import { type Call, readRecording } from './recorded.ts';

const { release, migrations, calls } = readRecording(
  readFileSync(path.join(import.meta.dirname, 'recording.ndjson'), 'utf8'),
);

let directory: string;
let local: Awaited<ReturnType<typeof openLocalData>>;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'registry-previous-'));
  local = await openLocalData(directory);
});
afterAll(async () => {
  await local.dispose();
  await rm(directory, { recursive: true, force: true });
});

async function apply(names: readonly string[]): Promise<void> {
  const { DB } = local.env;
  for (const name of names) {
    const statements = unstable_splitSqlQuery(await readFile(`migrations/${name}`, 'utf8'));
    await DB.batch(statements.map((statement) => DB.prepare(statement)));
  }
}

/** Says to D1 what the Worker of the release said, and returns the rows of each statement. */
async function replay({ statements, isRaw }: Call): Promise<unknown[]> {
  const { DB } = local.env;
  const [first, ...others] = statements.map(({ sql, params }) => DB.prepare(sql).bind(...params));
  if (isRaw) return [await first!.raw()];
  return (await DB.batch([first!, ...others])).map(({ results }) => results);
}

/** The versions of the lists are random, so these calls have to succeed, with other rows. */
const hasVersions = ({ statements }: Call) =>
  statements.some(({ sql }) => /list_sources/.test(sql));

async function expectSameRows(round: number): Promise<void> {
  for (const call of calls.filter((each) => each.round === round)) {
    const label = call.statements.map(({ sql }) => sql).join('; ');
    const rows = await replay(call).catch((error: Error) => error.message);
    if (hasVersions(call)) expect(rows, label).toHaveLength(call.rows.length);
    else expect(rows, label).toEqual(call.rows);
  }
}

it('runs the Worker of the release before on the tables of this one, with its data', {
  timeout: 180_000,
}, async () => {
  const all = (await readdir('migrations')).filter((name) => name.endsWith('.sql')).sort();
  expect(all.slice(0, migrations.length)).toEqual(migrations);
  await apply(migrations);
  await expectSameRows(1);
  await apply(all.slice(migrations.length));
  await expectSameRows(2);
});

it('has recorded the release that the changelog names last', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const [, last] = /^## \[(\d[^\]]*)\]/m.exec(changelog) ?? [];
  expect(last).toBe(release);
});
