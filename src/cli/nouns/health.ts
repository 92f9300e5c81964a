import { currentTime } from '../../clock.ts';
import { listCronRuns } from '../../cron.ts';
import { maximumDatabaseBytes, readSize } from '../../database/size.ts';
import { type Alarm, type Findings, findAlarms } from '../../health/alarm.ts';
import { readHealth } from '../../health/health.ts';
import { listNames } from '../../public-list/lists.ts';
import { reading } from '../command.ts';
import { projectVersion } from '../project.ts';
import { run } from '../run.ts';
import { fieldLines, table } from '../text.ts';

const shownRuns = 5;

export const healthCommand = reading('health', 'health', 'health --remote --json').action(
  (options) =>
    run(options, async ({ db, env }) => {
      const now = currentTime();
      const health = await readHealth(db, env.LISTS, now);
      const [runs, size] = await Promise.all([listCronRuns(db, shownRuns), readSize(db)]);
      const findings = { health, runs, size, isDeployed: options.remote ?? false };
      const alarms = findAlarms(findings, now);
      if (alarms.length > 0) process.exitCode = 1;
      return { data: healthData(findings, alarms), text: healthText(findings, alarms) };
    }),
);

const statusOf = (alarms: readonly Alarm[]) => (alarms.length === 0 ? 'ok' : 'failing');

function healthData({ health, runs, size }: Findings, alarms: readonly Alarm[]) {
  return {
    status: statusOf(alarms),
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

function healthText({ health, runs, size }: Findings, alarms: readonly Alarm[]): string {
  const megabytes = (size.bytes / 1e6).toFixed(1);
  const share = ((100 * size.bytes) / maximumDatabaseBytes).toFixed(1);
  return [
    fieldLines({
      status: statusOf(alarms),
      version: projectVersion(),
      database: `${megabytes} MB, ${share} % of the ${maximumDatabaseBytes / 1e9} GB that D1 allows`,
    }),
    ...alarms.map(({ alarm, message }) => `alarm ${alarm}: ${message}`),
    '',
    table(
      ['LIST', 'COUNT', 'PUBLISHED', 'STATE'],
      listNames.map((list) => {
        const { published, isBehind } = health.lists[list];
        const state = isBehind === undefined ? 'unknown' : isBehind ? 'behind' : 'up to date';
        return [list, published?.count ?? '-', published?.publishedAt ?? 'never', state];
      }),
      '',
    ),
    '',
    table(
      ['CRON', 'STARTED', 'TOOK', 'FAILED'],
      runs.map(({ cron, startedAt, tookMilliseconds, failed }) => [
        cron,
        startedAt,
        `${tookMilliseconds} ms`,
        failed.join(', ') || 'nothing',
      ]),
      'the cron has not run yet',
    ),
    '',
    table(['TABLE', 'ROWS'], Object.entries(size.rows), ''),
  ].join('\n');
}
