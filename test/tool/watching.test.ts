import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { webhookDeliveries } from '../../drizzle/schema.ts';
import { publicationPoint, requestPoint, statePoint } from '../../src/base/metrics.ts';
import { listNames } from '../../src/list/lists.ts';
import { publish, publishAndPurge } from '../../src/list/publish/publish.ts';
import { runCron } from '../../src/worker/cron.ts';
import { Faults, overload } from '../attack/faults.ts';
import { queried, type WrittenPoint } from '../support/analytics.ts';
import { addAuction, addRegistrar, send } from '../support/fixtures.ts';
import { answerTo, measured } from '../support/measured.ts';
import { shareEmptyWorker } from '../support/worker.ts';

interface Query {
  refId: string;
  datasourceUid: string;
  model: { type?: string; query?: string; expression?: string; conditions?: Condition[] };
}
interface Condition {
  evaluator: { type: 'gt' | 'lt'; params: [number] };
}
interface Rule {
  uid: string;
  data: Query[];
  noDataState: string;
  annotations: { runbook: string };
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const runbook = readFileSync('src/tool/runbook.md', 'utf8');
const [{ rules }] = readJson('src/tool/alert-rules.json').groups as [{ rules: Rule[] }];
const panels = readJson('src/tool/dashboard.json').panels as {
  title: string;
  targets: { query: string }[];
}[];

/** The values that each panel of the dashboard shows of the points below, in the second 600. */
const shown: Record<string, Record<string, unknown>[]> = {
  'Requests by interface': [
    { interface: 'lists', requests: 8 },
    { interface: 'registrar', requests: 3 },
  ],
  'Requests by status': [
    { status: '200', requests: 4 },
    { status: '304', requests: 5 },
    { status: '500', requests: 2 },
  ],
  'Duration by route, 95th percentile': [
    { route: '/repp/v1/auctions', p95: 10 },
    { route: '/repp/v1/contacts', p95: 70 },
  ],
  'Share of 304 among requests for lists': [{ share: 0.625 }],
  'Time since each list was published': [{ list: 'auctions', age: 60 }],
  'Duration of publications, 95th percentile': [{ list: 'auctions', p95: 90 }],
  'Deliveries that wait for webhooks': [{ waiting: 5 }],
  'Longest wait of a delivery': [{ wait: 7_000 }],
  'Size of the database': [{ bytes: 1_000 }],
  'Failures by build': [
    { build: 'new', failures: 0.25 },
    { build: 'old', failures: 0 },
  ],
};

const requestBy = (
  build: string,
  area: string,
  route: string,
  status: number,
  durationMilliseconds: number,
) => ({
  ...{ interface: area, method: 'GET', route, status, registrar: null, system: null, build },
  ...{ durationMilliseconds, d1: 0, rowsRead: 0, kvReads: 0 },
});

/** The platform has kept one of two, or of three, where an interval says so. */
const known: WrittenPoint[] = [
  [requestPoint(requestBy('old', 'lists', '/repp/v1/auctions', 200, 10)), 3],
  [requestPoint(requestBy('new', 'lists', '/repp/v1/auctions', 304, 5), 5), 1],
  [requestPoint(requestBy('new', 'registrar', '/repp/v1/contacts', 200, 20)), 1],
  [requestPoint(requestBy('new', 'registrar', '/repp/v1/contacts', 500, 70)), 2],
  [publicationPoint('auctions', 'published', 80), 2],
  [publicationPoint('auctions', 'failed', 90), 1],
  [statePoint(1_000, 5, 7_000, 0, 300), 1],
  [statePoint(900, 4, 6_000, 0, 300), 1],
].map(([point, sampleInterval]) => ({ timestamp: 540, point, sampleInterval }) as WrittenPoint);

it.each(panels.map(({ title, targets }) => [title, targets[0]!.query]))(
  'the dashboard shows what happened: %s',
  (title, query) => {
    const rows = queried(query, known, 600).map(({ t: _, ...row }) => row);
    expect(rows).toEqual(shown[title]);
  },
);

const [, queries = ''] = runbook.split(/^## Queries$/m);
it.each(Array.from(queries.split(/^## /m)[0]!.matchAll(/```sql\n(.*?)```/gs), ([, sql]) => [sql!]))(
  'the runbook asks for columns that points have: %s',
  (sql) => {
    expect(() => queried(sql, [])).not.toThrow();
  },
);

it('a query with a function that Analytics Engine does not have is refused', () => {
  const query = "SELECT total(double1) AS bytes FROM registry_edge WHERE blob1 = 'state'";
  expect(() => queried(query, [])).toThrow('no function total');
});

it('the rules ask the data source that is provided beside them', () => {
  const asked = new Set(
    rules.flatMap(({ data }) => data.map(({ datasourceUid }) => datasourceUid)),
  );
  expect([...asked]).toEqual(['registry-edge-metrics', '__expr__']);
  const source = readFileSync('src/tool/data-source.yaml', 'utf8');
  expect(source).toContain('\n    uid: registry-edge-metrics\n');
});

it('the mute timing holds the start of the nightly backup', () => {
  const [{ time_intervals: intervals }] = readJson('src/tool/alert-rules.json').muteTimes;
  const workflow = readFileSync('.github/workflows/backup.yml', 'utf8');
  const [, minute, hour] = /cron: "(\d+) (\d+) \* \* \*"/.exec(workflow)!;
  const start = `${hour!.padStart(2, '0')}:${minute!.padStart(2, '0')}`;
  const [{ start_time: from, end_time: to }] = intervals[0].times;
  expect(intervals[0].location).toBe('UTC');
  expect([from, start, to].sort()).toEqual([from, start, to]);
});

it.each(rules.map(({ uid, annotations }) => [uid, annotations.runbook]))(
  'the rule %s names an entry of the runbook',
  (_, entry) => {
    const anchors = Array.from(runbook.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors.map((anchor) => `src/tool/runbook.md#${anchor}`)).toContain(entry);
  },
);

/** Whether the rule's condition holds at a second. */
function isFiring(rule: Rule, points: readonly WrittenPoint[], now: number): boolean {
  const condition = rule.data.find(({ refId }) => refId === 'C')!.model;
  const values = (refId: string): number[] => {
    const { query } = rule.data.find((data) => data.refId === refId)!.model;
    const rows = queried(query!, points, now);
    return rows.map((row) => Number(Object.values(row).find((value) => typeof value === 'number')));
  };
  if (condition.type === 'threshold') {
    const { type, params } = condition.conditions![0]!.evaluator;
    const holds = (value: number) => (type === 'gt' ? value > params[0] : value < params[0]);
    return values(condition.expression!).some(holds);
  }
  return condition.expression!.split(' && ').every((part) => {
    const [, refId, limit] = /^\$(\w) > ([\d.]+)$/.exec(part)!;
    return values(refId!)[0]! > Number(limit);
  });
}

describe('the alert rules', () => {
  const worker = shareEmptyWorker();
  /** An afternoon on which nothing happens. */
  const now = 1_800_000_000;
  let quiet: WrittenPoint[];

  const at = (seconds: number, points: AnalyticsEngineDataPoint[]) =>
    points.map((point) => ({ timestamp: now + seconds, point }));
  const firing = (points: readonly WrittenPoint[], seconds = 0) =>
    rules.filter((rule) => isFiring(rule, points, now + seconds)).map(({ uid }) => uid);
  const publishAll = () =>
    publish({ db: worker.db, kv: worker.env.LISTS, clock: () => new Date() }, listNames);
  const down = (binding: 'd1' | 'kv') =>
    new Faults({ message: overload, isDone: false }, (_, called) => called === binding);

  async function pointsOf(work: (env: typeof worker.env) => Promise<unknown>, faults?: Faults) {
    const { env, points } = measured(worker, faults && { faults });
    await work(env).catch(() => {});
    return points;
  }

  beforeAll(async () => {
    const points = await pointsOf(async (env) => {
      await runCron('31 * * * *', env, {});
      for (const path of ['/health', '/health', '/repp/v1/auctions', '/repp/v1/contacts']) {
        await answerTo(env, path);
      }
    });
    // The monitor asks each minute, and the cron runs each hour.
    quiet = [-3_000, -60, 600, 3_540].flatMap((seconds) => at(seconds, points));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('the alert rules are silent on a quiet day', () => {
    expect(firing(quiet)).toEqual([]);
    expect(firing(quiet, 3_600)).toEqual([]);
  });

  it('the alert rules fire while /health fails, until it succeeds', async () => {
    await publishAll();
    const failed = await pointsOf((env) => answerTo(env, '/health'), down('d1'));
    const later = await pointsOf((env) => answerTo(env, '/health'), down('kv'));
    const points = [...quiet, ...at(-120, failed), ...at(-60, later)];
    expect(firing(points)).toEqual(['health-failing']);
    expect(firing(points, 605)).toEqual([]);
  });

  it('the alert rules are silent when strangers ask for /health until they are refused', () => {
    const refused = quiet
      .map(({ point }) => point)
      .filter(({ blobs }) => blobs?.[3] === '/health')
      .map((point) => ({ ...point, blobs: point.blobs!.with(4, '429') }));
    expect(firing([...quiet, ...at(-60, refused)])).toEqual([]);
  });

  it('the alert rules fire while nobody asks for /health', () => {
    const unasked = quiet.filter(({ point }) => point.blobs?.[3] !== '/health');
    expect(firing(unasked)).toEqual(['health-failing']);
  });

  it('the alert rules fire when failures use up the budget', async () => {
    const registrar = await addRegistrar(worker.env);
    const failures = await pointsOf(async (env) => {
      for (let n = 0; n < 6; n++) await answerTo(env, '/repp/v1/contacts', send('GET', registrar));
    }, down('d1'));
    // Each stands for two, and so they are more than ten.
    const sampled = at(-60, failures).map((written) => ({ ...written, sampleInterval: 2 }));
    const points = [...quiet, ...sampled];
    expect(firing([...quiet, ...at(-60, failures)])).toEqual([]);
    expect(firing(points)).toEqual(['errors-fast', 'errors-slow']);
    // Ten minutes later, the last five minutes are without any.
    expect(firing(points, 605)).toEqual(['errors-slow']);
  });

  it('the alert rules fire when a list cannot be published, until it is', async () => {
    await addAuction(worker.env);
    const publishing = (env: typeof worker.env) => publishAndPurge(env, {}, ['auctions']);
    const failed = await pointsOf(publishing, down('kv'));
    const points = [...quiet, ...at(-30, failed)];
    expect(firing(points)).toEqual(['list-behind']);
    const published = await pointsOf(publishing);
    expect(firing([...points, ...at(-10, published)])).toEqual([]);
  });

  it('the alert rules fire when the cron stops', () => {
    const stopped = quiet.filter(({ point }) => point.blobs?.[0] !== 'state');
    expect(firing(stopped)).toEqual(['cron-late']);
  });

  it('the alert rules fire when work of the cron fails, until a run succeeds', async () => {
    const faulty = new Faults(
      { message: 'KV failed', isDone: false },
      (_, called) => called === 'kv',
    );
    const failed = await pointsOf((env) => runCron('31 * * * *', env, {}), faulty);
    const state = failed.filter(({ blobs }) => blobs?.[0] === 'state');
    const points = [...quiet, ...at(-30, state)];
    expect(firing(points)).toEqual(['cron-failed']);
    expect(firing(points, 3_600)).toEqual([]);
  });

  it('the alert rules fire when a delivery has waited for an hour, until it is delivered', async () => {
    const { id: registrarId } = await addRegistrar(worker.env);
    const waitsSince = new Date(Date.now() - 61 * 60_000).toISOString();
    const delivery = { id: 'msg_1', registrarId, createdAt: waitsSince, waitsSince };
    await worker.db.insert(webhookDeliveries).values(delivery);
    const waiting = await pointsOf((env) => runCron('31 * * * *', env, {}));
    const points = [...quiet, ...at(-30, waiting)];
    expect(firing(points)).toEqual(['webhook-failing']);
    await worker.db.update(webhookDeliveries).set({ deliveredAt: new Date().toISOString() });
    const delivered = await pointsOf((env) => runCron('31 * * * *', env, {}));
    expect(firing([...points, ...at(-10, delivered)])).toEqual([]);
  });

  it('the alert rules fire when the database is larger than 8 GB', () => {
    const points = [...quiet, ...at(-30, [statePoint(8_000_000_001, 0, 0, 0, 0)])];
    expect(firing(points)).toEqual(['database-large']);
  });

  it('the alert rules stay for a day when the database is full, and no run can be recorded any more', () => {
    const last = at(-30, [statePoint(8_000_000_001, 0, 0, 0, 0)]);
    const day = 24 * 3_600;
    expect(firing(last, day - 60)).toContain('database-large');
    expect(firing(last, day)).not.toContain('database-large');
  });

  it('the alert rules fire for themselves where silence is the failure, should a query have no rows', () => {
    const alerting = rules.filter(({ noDataState }) => noDataState === 'Alerting');
    expect(alerting.map(({ uid }) => uid)).toEqual(['health-failing', 'cron-late']);
  });
});
