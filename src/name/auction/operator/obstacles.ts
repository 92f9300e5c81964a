import { sql } from 'drizzle-orm';
import { jsonArrays } from '../../../base/database/json-rows.ts';
import type { RecordProblem } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { type DomainName, obstacleSentence } from '../../name.ts';
import { type AuctionObstacle, selectObstacles } from '../obstacles.ts';

export async function findAuctionObstacles(
  { db, origin: { request } }: Operation,
  names: readonly DomainName[],
  ignored: readonly AuctionObstacle[],
  except?: string,
): Promise<RecordProblem<DomainName>[]> {
  const records = new Map(names.map((record) => [record.name, record]));
  const problems: RecordProblem<DomainName>[] = [];
  for (const array of jsonArrays(records.keys())) {
    const candidates = sql`select value as name from json_each(${array})`;
    const rows = await db.all<{ name: string; obstacle: AuctionObstacle }>(
      selectObstacles(candidates, request.at, except),
    );
    for (const { name, obstacle } of rows) {
      if (ignored.includes(obstacle)) continue;
      const message = obstacleSentence(name, obstacle);
      problems.push({ reason: 'taken', message, field: 'name', record: records.get(name)! });
    }
  }
  return problems;
}
