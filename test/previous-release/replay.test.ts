import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { type Call, readRecording } from './recorded.ts';

const { release, migrations, calls } = readRecording(
  readFileSync(path.join(import.meta.dirname, 'recording.ndjson'), 'utf8'),
);

const database = new DatabaseSync(':memory:');

function apply(names: readonly string[]): void {
  for (const name of names) database.exec(readFileSync(`migrations/${name}`, 'utf8'));
}

/** Says to the database what the Worker of the release said, as one transaction, and returns the rows of each statement. */
function replay({ statements, isRaw }: Call): unknown[] {
  database.exec('begin');
  const rows = statements.map(({ sql, params }) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(isRaw);
    return statement.all(...(params as string[]));
  });
  database.exec('commit');
  return rows;
}

/** The versions of the lists are random, so these calls have to succeed, with other rows. */
const hasVersions = ({ statements }: Call) =>
  statements.some(({ sql }) => /list_sources/.test(sql));

function expectSameRows(round: number): void {
  for (const call of calls.filter((each) => each.round === round)) {
    const label = call.statements.map(({ sql }) => sql).join('; ');
    const rows = replay(call);
    if (hasVersions(call)) expect(rows, label).toHaveLength(call.rows.length);
    else expect(rows, label).toEqual(call.rows);
  }
}

it('runs the Worker of the release before on the tables of this one, with its data', () => {
  const all = globSync('migrations/*.sql')
    .map((file) => path.basename(file))
    .sort();
  expect(all.slice(0, migrations.length)).toEqual(migrations);
  apply(migrations);
  expectSameRows(1);
  apply(all.slice(migrations.length));
  expectSameRows(2);
});

it('the recording is of the release that the changelog names last', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const [, last] = /^## \[(\d[^\]]*)\] - \d/m.exec(changelog) ?? [];
  expect(last).toBe(release);
});
