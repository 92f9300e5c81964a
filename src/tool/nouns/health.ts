import { currentTime } from '../../base/time/clock.ts';
import { listNames } from '../../list/lists.ts';
import {
  type Alarm,
  type Findings,
  findAlarms,
  isWarning,
  maximumDatabaseBytes,
  readFindings,
} from '../../view/alarm.ts';
import { dataOf, plain, type Shown } from '../../view/columns.ts';
import { askService, parseUrl } from '../../view/service.ts';
import { type CommonOptions, reading } from '../command.ts';
import { configPath, projectVersion } from '../project.ts';
import type { Registry } from '../registry.ts';
import { fieldLines, table } from '../report/table.ts';
import { type Report, verb } from '../run.ts';
import { rowsReport } from '../view.ts';
import { domainAddress } from '../wrangler-config.ts';

const unknownAddress =
  'The /health of the service was not asked: wrangler.toml routes no domain to it, and --url is missing.';

export const healthCommand = verb(
  reading('health', 'health', 'health --remote --json')
    .description('Show whether anything needs attention; then the exit status is 1')
    .option('--url <url>', 'where the service answers (default: as wrangler.toml says)', parseUrl),
  async (registry, options) => {
    const state = await readHealthState(registry, options);
    if (!state.alarms.every(isWarning)) process.exitCode = 1;
    return healthReport(state);
  },
);

type Asking = Pick<CommonOptions, 'env'> & { remote?: boolean; url?: string | undefined };

export async function readHealthState(
  { db, env, service: local }: Registry,
  { remote = false, env: environment = 'production', url }: Asking,
) {
  const now = currentTime();
  // Starts the local runtime if necessary, since a check has little time.
  await env.LISTS.list({ limit: 1 }).catch(() => {});
  const findings = await readFindings(db, env, now, remote);
  const address = url ?? (remote ? domainAddress(configPath, environment) : local);
  const { problem, ...service } = await askService(address);
  const message = remote && address === undefined ? unknownAddress : problem;
  const alarms: Alarm[] = message === undefined ? [] : [{ alarm: 'failing', message }];
  return { findings, alarms: [...alarms, ...findAlarms(findings, now)], service };
}

export function listStates({ health }: Findings) {
  return listNames.map((list) => {
    const { published, isBehind = null } = health.lists[list];
    const { count = null, etag = null, publishedAt = null } = published ?? {};
    return { list, count, etag, publishedAt, isBehind };
  });
}

export const listStatesView: Shown<ReturnType<typeof listStates>[number]> = {
  name: 'lists',
  columns: plain('list', 'count', 'etag', 'publishedAt', 'isBehind'),
  table: 'list count published_at is_behind',
};

function healthReport(state: Awaited<ReturnType<typeof readHealthState>>): Report {
  const { findings, alarms, service } = state;
  const { health, bytes, runs } = findings;
  const status = alarms.every(isWarning) ? 'ok' : 'failing';
  const version = projectVersion();
  const lists = listStates(findings);
  const dataOfLists = lists.map((one) => {
    const { list, ...others } = dataOf(listStatesView.columns, one);
    return [list, others];
  });
  const cron_runs = runs.map(({ id: _, startedAt, tookMilliseconds, ...run }) => {
    return { ...run, started_at: startedAt, took_ms: tookMilliseconds };
  });
  const is_reachable = health.isDatabaseReachable;
  const database = { is_reachable, maximum_bytes: maximumDatabaseBytes, bytes };
  const share = ((100 * bytes) / maximumDatabaseBytes).toFixed(1);
  const sizeText = `${(bytes / 1e6).toFixed(1)} MB, ${share} % of what D1 allows`;
  return {
    data: {
      ...{ status, alarms, service, version, database },
      lists: Object.fromEntries(dataOfLists),
      cron_runs,
    },
    text: [
      fieldLines({ status, service, version, database: sizeText }),
      ...alarms.map(
        (one) => `${isWarning(one) ? 'warning' : 'alarm'} ${one.alarm}: ${one.message}`,
      ),
      '',
      rowsReport(listStatesView, lists).text,
      '',
      table(cron_runs, 'the cron has not run yet'),
    ],
  };
}
