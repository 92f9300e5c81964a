import { InvalidArgumentError } from '@commander-js/extra-typings';
import { plainText } from '../../base/text/sentence.ts';
import { isWarning, maximumDatabaseBytes } from '../../view/alarm.ts';
import { dataOf } from '../../view/columns.ts';
import { listStates, listStatesView, readHealthState } from '../../view/health.ts';
import { type CommonOptions, readCommand, withCommand } from '../command.ts';
import { configPath, projectVersion } from '../project.ts';
import type { Registry } from '../registry.ts';
import { fieldLines, table } from '../report/table.ts';
import { type Report, verb } from '../run.ts';
import { rowsReport } from '../view.ts';
import { domainAddress } from '../wrangler-config.ts';

export const healthCommand = verb(
  readCommand('health', 'health', 'health --remote --json')
    .description('Show whether anything needs attention; then the exit status is 1')
    .option('--url <url>', 'where the service answers (default: as wrangler.toml says)', parseUrl),
  async (registry, options) => {
    const missing = `${unrouted}, and --url is missing`;
    const state = await readHealthState(watchedOf(registry, options, missing));
    if (!state.alarms.every(isWarning)) process.exitCode = 1;
    return healthReport(state, options);
  },
);

const unrouted = 'wrangler.toml routes no domain to it';

type Asking = Pick<CommonOptions, 'env'> & { remote?: boolean; url?: string | undefined };

/** A deployed service answers where wrangler.toml routes a domain to it. */
export function watchedOf(
  { service: local, ...registry }: Registry,
  { remote: isDeployed = false, env = 'production', url }: Asking,
  unknown = unrouted,
) {
  const address = url ?? (isDeployed ? domainAddress(configPath, env) : local);
  const isUnknown = isDeployed && address === undefined;
  const service = isUnknown ? { unknown } : { address };
  return { ...registry, isDeployed, service };
}

function healthReport(
  state: Awaited<ReturnType<typeof readHealthState>>,
  options: CommonOptions,
): Report {
  const { findings, service } = state;
  const alarms = state.alarms.map(({ sentence, ...alarm }) =>
    withCommand({ ...alarm, message: plainText(sentence) }, options),
  );
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

function parseUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must begin with https:// or http://.');
}
