import { sql } from 'drizzle-orm';
import { SQLiteD1Session } from 'drizzle-orm/d1';
import { npmVersion } from 'drizzle-orm/version';
import { expect, test } from 'vitest';
import { registrars } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { prepared } from '../../../src/base/database/prepared-query.ts';
import { addRegistrar } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

const registrarOfCode = prepared<{ id: number; code: string }>(
  () => sql`select id, code from ${registrars} where code = ${sql.placeholder('code')}`,
);
const anything = prepared<{ one: number }>(() => sql`select 1 as one`);

test('runs in a batch beside Drizzle’s own queries, each with its own values', async () => {
  const db = openDatabase(worker.env.DB);
  const [alpha, beta] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];

  const results = await db.batch([
    registrarOfCode(db, { code: alpha.code }),
    db.select({ one: sql<number>`1` }).from(registrars).limit(1),
    registrarOfCode(db, { code: beta.code }),
    anything(db, {}),
  ]);

  expect(results).toEqual([
    [{ id: alpha.id, code: alpha.code }],
    [{ one: 1 }],
    [{ id: beta.id, code: beta.code }],
    [{ one: 1 }],
  ]);
});

/** The code that `prepared` imitates the queries of: read it again, then write down what has changed. */
test('imitates the batch of the Drizzle that is installed', () => {
  expect(npmVersion).toBe('0.45.4');
  expect(SQLiteD1Session.prototype.batch.toString()).toBe(`async batch(queries) {
    const preparedQueries = [];
    const builtQueries = [];
    for (const query of queries) {
      const preparedQuery = query._prepare();
      const builtQuery = preparedQuery.getQuery();
      preparedQueries.push(preparedQuery);
      if (builtQuery.params.length > 0) {
        builtQueries.push(preparedQuery.stmt.bind(...builtQuery.params));
      } else {
        const builtQuery2 = preparedQuery.getQuery();
        builtQueries.push(
          this.client.prepare(builtQuery2.sql).bind(...builtQuery2.params)
        );
      }
    }
    const batchResults = await this.client.batch(builtQueries);
    return batchResults.map((result, i) => preparedQueries[i].mapResult(result, true));
  }`);
});
