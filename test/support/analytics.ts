import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { publicationPoint, requestPoint, statePoint } from '../../src/base/metrics.ts';

/** Analytics Engine's SQL, as far as the dashboard, the alert rules and the runbook use it, on SQLite. */

type Kind = 'request' | 'publication' | 'state';

const request = {
  interface: '',
  method: '',
  route: '',
  status: 0,
  registrar: '',
  system: '',
  build: '',
  durationMilliseconds: 0,
  d1: 0,
  rowsRead: 0,
  kvReads: 0,
};

/** A point of each kind, which shows the columns that it has. */
const shapes: Record<Kind, AnalyticsEngineDataPoint> = {
  request: requestPoint(request),
  publication: publicationPoint('', 'published', 0),
  state: statePoint(0, 0, 0, 0, 0),
};

function columnsOf({ blobs = [], doubles = [] }: AnalyticsEngineDataPoint): string[] {
  return [
    ...blobs.map((_, index) => `blob${index + 1}`),
    ...doubles.map((_, index) => `double${index + 1}`),
  ];
}

/** A point, and the second at which it was written. */
export interface WrittenPoint {
  timestamp: number;
  point: AnalyticsEngineDataPoint;
  /** The number of points it stands for; 1 unless the platform has sampled. */
  sampleInterval?: number;
}

/**
 * The functions of Analytics Engine that are used, as its reference has them. SQLite has others, which must not pass.
 * https://developers.cloudflare.com/analytics/analytics-engine/sql-reference/
 */
const functionNames = new Set([
  ...['count', 'sum', 'max', 'sumif', 'argmax', 'quantileexactweighted'],
  ...['if', 'now', 'touint32', 'tostartoffiveminutes', 'tostartofhour'],
]);

function refuseUnknownFunctions(query: string): void {
  for (const [, name] of query.matchAll(/\b(\w+)\(/g)) {
    if (!functionNames.has(name!.toLowerCase())) throw new Error(`no function ${name}`);
  }
}

const secondsOf = { MINUTE: 60, HOUR: 3_600, DAY: 86_400 };

function asSqlite(query: string, now: number): string {
  return (
    query
      .replaceAll('$timeSeries', 'timestamp / 60 * 60000')
      .replaceAll('$timeFilter', 'timestamp > 0')
      .replaceAll('$dataset', 'registry_edge')
      .replaceAll('NOW()', String(now))
      .replace(/INTERVAL '(\d+)' (MINUTE|HOUR|DAY)\b/g, (_, count, unit: keyof typeof secondsOf) =>
        String(Number(count) * secondsOf[unit]),
      )
      .replaceAll('quantileExactWeighted(0.95)(', 'quantile95(')
      .replaceAll('count()', 'count(*)')
      // SQLite divides integers as integers.
      .replaceAll(' / SUM(', ' * 1.0 / SUM(')
  );
}

/**
 * The rows with which Analytics Engine would answer a query about one kind of points at a second. Throws an Error for a
 * column that points of the kind do not have, and for a function that Analytics Engine does not have.
 */
export function queried(
  query: string,
  written: readonly WrittenPoint[],
  now = 0,
): Record<string, unknown>[] {
  const [, kind] = /\bblob1 = '(\w+)'/.exec(query) ?? [];
  if (kind === undefined || !(kind in shapes)) throw new Error(`about which points? ${query}`);
  refuseUnknownFunctions(query);
  using database = new DatabaseSync(':memory:');
  addFunctions(database);
  const columns = columnsOf(shapes[kind as Kind]);
  database.exec(`create table registry_edge (timestamp, _sample_interval, ${columns.join(', ')})`);
  const values = ['?', '?', ...columns.map(() => '?')];
  const insert = database.prepare(`insert into registry_edge values (${values.join(', ')})`);
  for (const { timestamp, point, sampleInterval = 1 } of written) {
    const { blobs = [], doubles = [] } = point;
    if (blobs[0] === kind && timestamp <= now)
      insert.run(timestamp, sampleInterval, ...([...blobs, ...doubles] as (string | number)[]));
  }
  return database.prepare(asSqlite(query, now)).all();
}

/** An aggregate function over the values of each row. Node's own type has no state that is an object. */
interface Aggregate<State> {
  start: State;
  step: (state: State, ...values: SQLOutputValue[]) => State;
  result?: (state: State) => unknown;
}

function addFunctions(database: DatabaseSync): void {
  const add = <State>(name: string, aggregate: Aggregate<State>) =>
    database.aggregate(name, { ...aggregate, varargs: true } as never);
  database.function('toUInt32', (value) => value);
  database.function('toStartOfFiveMinutes', (at) => Number(at) - (Number(at) % 300));
  database.function('toStartOfHour', (at) => Number(at) - (Number(at) % 3_600));
  add('sumIf', {
    start: 0,
    step: (sum, value, condition) => (condition ? sum + Number(value) : sum),
  });
  add('argMax', {
    start: { value: null as SQLOutputValue, at: -1 },
    step: (best, value, at) => (Number(at) >= best.at ? { value: value!, at: Number(at) } : best),
    result: ({ value }) => value,
  });
  add('quantile95', {
    start: [] as number[],
    step: (values, value, weight) => [...values, ...Array(Number(weight)).fill(Number(value))],
    result: (values) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)],
  });
}
