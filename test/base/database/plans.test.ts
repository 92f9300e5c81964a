import { getTableName, is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import * as schema from '../../../drizzle/schema.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

/** The references whose rows are deleted with the row that they refer to. */
const cascades = Object.values(schema).flatMap((value) =>
  is(value, SQLiteTable)
    ? getTableConfig(value)
        .foreignKeys.filter(({ onDelete }) => onDelete === 'cascade')
        .map((key) => [getTableName(value), key.reference().columns[0]!.name] as const)
    : [],
);

// The plan of a deletion does not show what it cascades to. SQLite runs this statement for each deleted row:
// sqlite.org/foreignkeys.html, section 3.
test.each(cascades)(
  'a deletion that cascades to %s finds its rows by an index',
  async (table, column) => {
    const { results } = await worker.env.DB.prepare(
      `explain query plan delete from ${table} where ${column} = 1`,
    ).all<{ detail: string }>();
    expect(results.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH ${table} USING .*\\(${column}=\\?\\)$`)),
    ]);
  },
);
