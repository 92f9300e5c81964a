import { currentTime } from '../../clock.ts';
import { listCronRuns } from '../../cron.ts';
import { maximumDatabaseBytes, readSize } from '../../database/size.ts';
import { type Alarm, type Findings, findAlarms } from '../../health/alarm.ts';
import { readHealth } from '../../health/health.ts';
import { listNames } from '../../public-list/lists.ts';
import { reading } from '../command.ts';
import { projectVersion } from '../project.ts';
import { verb } from '../run.ts';
import { fieldLines, table } from '../text.ts';

const shownRuns = 5;

export const healthCommand = verb(
  reading('health', 'health', 'health --remote --json'),
  async ({ db, env }, { remote }) => {
    const now = currentTime();
    // The local runtime may have to start first, and a check has little time.
    await env.LISTS.list({ limit: 1 }).catch(() => {});
    const health = await readHealth(db, env.LISTS, now);
    const [runs, size] = await Promise.all([listCronRuns(db, shownRuns), readSize(db)]);
    const findings = { health, runs, size, isDeployed: remote ?? false };
    const alarms = findAlarms(findings, now);
    if (alarms.length > 0) process.exitCode = 1;
    const data = healthData(findings, alarms);
    return { data, text: healthText(data) };
  },
);

function healthData({ health, runs, size }: Findings, alarms: readonly Alarm[]) {
  return {
    status: alarms.length === 0 ? 'ok' : 'failing',
    alarms,
    version: projectVersion(),
    database: {
      is_reachable: health.isDatabaseReachable,
      bytes: size.bytes,
      maximum_bytes: maximumDatabaseBytes,
      rows: size.rows,
    },
    lists: Object.fromEntries(
      listNames.map((list) => {
        const { published, isBehind } = health.lists[list];
        const { count = null, etag = null, publishedAt = null } = published ?? {};
        return [list, { count, etag, published_at: publishedAt, is_behind: isBehind ?? null }];
      }),
    ),
    cron_runs: runs.map(({ cron, startedAt, tookMilliseconds, failed }) => ({
      cron,
      started_at: startedAt,
      took_ms: tookMilliseconds,
      failed,
    })),
  };
}

function healthText({ status, alarms, version, database, ...data }: ReturnType<typeof healthData>) {
  const megabytes = (database.bytes / 1e6).toFixed(1);
  const share = ((100 * database.bytes) / maximumDatabaseBytes).toFixed(1);
  const limit = `${maximumDatabaseBytes / 1e9} GB that D1 allows`;
  return [
    fieldLines({ status, version, database: `${megabytes} MB, ${share} % of the ${limit}` }),
    ...alarms.map(({ alarm, message }) => `alarm ${alarm}: ${message}`),
    '',
    table(Object.entries(data.lists), '', {
      LIST: ([list]) => list,
      COUNT: ([, { count }]) => count,
      PUBLISHED: ([, { published_at }]) => published_at ?? 'never',
      STATE: ([, { is_behind }]) =>
        is_behind === null ? 'unknown' : is_behind ? 'behind' : 'up to date',
    }),
    '',
    table(data.cron_runs, 'the cron has not run yet', {
      CRON: 'cron',
      STARTED: 'started_at',
      TOOK: ({ took_ms }) => `${took_ms} ms`,
      FAILED: ({ failed }) => failed.join(', ') || 'nothing',
    }),
    '',
    table(Object.entries(database.rows), '', { TABLE: 0, ROWS: 1 }),
  ].join('\n');
}
