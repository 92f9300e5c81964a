import { currentTime } from '../../base/time/clock.ts';
import { listNames } from '../../list/lists.ts';
import { reading } from '../command.ts';
import { configPath, projectVersion } from '../project.ts';
import { fieldLines, table } from '../report/text.ts';
import { type Report, verb } from '../run.ts';
import { type AskedService, askService, parseUrl } from '../service.ts';
import { domainAddress } from '../wrangler-config.ts';
import {
  type Alarm,
  type Findings,
  findAlarms,
  isWarning,
  maximumDatabaseBytes,
  readFindings,
} from './alarm.ts';

const unknownAddress =
  'The /health of the service was not asked: wrangler.toml routes no domain to it, and --url is missing.';

export const healthCommand = verb(
  reading('health', 'health', 'health --remote --json')
    .description('Show whether anything needs attention; then the exit status is 1')
    .option('--url <url>', 'where the service answers (default: as wrangler.toml says)', parseUrl),
  async ({ db, env, service: local }, { remote = false, env: environment = 'production', url }) => {
    const now = currentTime();
    // The local runtime may have to start first, and a check has little time.
    await env.LISTS.list({ limit: 1 }).catch(() => {});
    const findings = await readFindings(db, env, now, remote);
    const address = url ?? (remote ? domainAddress(configPath, environment) : local);
    const { problem, ...service } = await askService(address);
    const message = remote && address === undefined ? unknownAddress : problem;
    const alarms: Alarm[] = message === undefined ? [] : [{ alarm: 'failing', message }];
    alarms.push(...findAlarms(findings, now));
    if (!alarms.every(isWarning)) process.exitCode = 1;
    return healthReport(findings, alarms, service);
  },
);

function healthReport(
  { health, size, runs }: Findings,
  alarms: readonly Alarm[],
  service: Omit<AskedService, 'problem'>,
): Report {
  const status = alarms.every(isWarning) ? 'ok' : 'failing';
  const version = projectVersion();
  const lists = listNames.map((list) => {
    const { published, isBehind: is_behind = null } = health.lists[list];
    const { count = null, etag = null, publishedAt: published_at = null } = published ?? {};
    return { list, count, etag, published_at, is_behind };
  });
  const cron_runs = runs.map(({ id: _, startedAt, tookMilliseconds, ...run }) => {
    return { ...run, started_at: startedAt, took_ms: tookMilliseconds };
  });
  const is_reachable = health.isDatabaseReachable;
  const database = { is_reachable, maximum_bytes: maximumDatabaseBytes, ...size };
  const share = ((100 * size.bytes) / maximumDatabaseBytes).toFixed(1);
  const sizeText = `${(size.bytes / 1e6).toFixed(1)} MB, ${share} % of what D1 allows`;
  return {
    data: {
      ...{ status, alarms, service, version, database },
      lists: Object.fromEntries(lists.map(({ list, ...others }) => [list, others])),
      cron_runs,
    },
    text: [
      fieldLines({ status, service, version, database: sizeText }),
      ...alarms.map(
        (one) => `${isWarning(one) ? 'warning' : 'alarm'} ${one.alarm}: ${one.message}`,
      ),
      '',
      table(lists, '', ['list', 'count', 'published_at', 'is_behind']),
      '',
      table(cron_runs, 'the cron has not run yet'),
    ].join('\n'),
  };
}
