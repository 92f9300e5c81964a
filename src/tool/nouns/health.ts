import { auctionStatuses } from '../../../drizzle/schema.ts';
import { entriesOf } from '../../base/env.ts';
import { currentTime } from '../../base/time/clock.ts';
import { listDueDisclosures } from '../../contact/operator/disclosure/read.ts';
import { countOverdue } from '../../contact/verification/operator/report.ts';
import { listNames } from '../../list/lists.ts';
import {
  listAuctionsNotRestarted,
  listOverdueAuctions,
} from '../../name/auction/operator/waiting.ts';
import { listEndingCertificates } from '../../party/credential/operator/certificate.ts';
import { listFailingWebhooks } from '../../party/webhook/outbox.ts';
import { listCronRuns } from '../../worker/cron.ts';
import { readHealth } from '../../worker/health/health.ts';
import { disclosureHoursOf } from '../../worker/settings.ts';
import { reading } from '../command.ts';
import { type Alarm, type Findings, findAlarms, isWarning } from '../health/alarm.ts';
import { maximumDatabaseBytes, readSize } from '../health/database-size.ts';
import { configPath, projectVersion } from '../project.ts';
import { fieldLines, table } from '../report/text.ts';
import { type Report, verb } from '../run.ts';
import { type AskedService, askService, parseUrl } from '../service.ts';
import { domainAddress } from '../wrangler-config.ts';

const shownRuns = 5;

const unknownAddress =
  'The /health of the service was not asked: wrangler.toml routes no domain to it, and --url is missing.';

export const healthCommand = verb(
  reading('health', 'health', 'health --remote --json')
    .description(
      'Show whether anything needs attention: the lists, the cron, the size of the database',
    )
    .option('--url <url>', 'where the service answers (default: see below)', parseUrl)
    .addHelpText(
      'after',
      `
The exit status is 1 if anything needs attention; with warnings alone it is 0.
The service is asked for its own /health as well: the local server, if one runs; with --remote, the first
domain in the routes of wrangler.toml, or --url.`,
    ),
  async ({ db, env, service: local }, { remote, env: environment = 'production', url }) => {
    const now = currentTime();
    // The local runtime may have to start first, and a check has little time.
    await env.LISTS.list({ limit: 1 }).catch(() => {});
    const health = await readHealth(db, env.LISTS, now);
    const restarting = auctionStatuses.filter((status) =>
      entriesOf(env.AUCTION_RESTART_STATUSES ?? '').includes(status),
    );
    const [
      runs,
      size,
      failingWebhooks,
      endingCertificates,
      dueDisclosures,
      overdueVerifications,
      overdueAuctions,
      auctionsNotRestarted,
    ] = await Promise.all([
      listCronRuns(db, shownRuns),
      readSize(db),
      listFailingWebhooks(db, now),
      listEndingCertificates(db, now),
      listDueDisclosures(db, disclosureHoursOf(env), now),
      countOverdue(db, now),
      listOverdueAuctions(db, now),
      listAuctionsNotRestarted(db, restarting, now),
    ]);
    const found = { health, runs, size, failingWebhooks, endingCertificates, dueDisclosures };
    const auctions = { overdueAuctions, auctionsNotRestarted };
    const findings = { ...found, ...auctions, overdueVerifications, isDeployed: remote ?? false };
    const address = url ?? (remote ? domainAddress(configPath, environment) : local);
    const service = await askService(address);
    const isUnknown = remote && address === undefined;
    const problem = isUnknown ? unknownAddress : service.problem;
    const alarms: Alarm[] = [
      ...(problem === undefined ? [] : [{ alarm: 'failing' as const, message: problem }]),
      ...findAlarms(findings, now),
    ];
    if (!alarms.every(isWarning)) process.exitCode = 1;
    return healthReport(findings, alarms, service);
  },
);

function healthReport(
  { health, size, ...findings }: Findings,
  alarms: readonly Alarm[],
  { problem: _, ...service }: AskedService,
): Report {
  const status = alarms.every(isWarning) ? 'ok' : 'failing';
  const version = projectVersion();
  const lists = listNames.map((list) => {
    const { published, isBehind: is_behind = null } = health.lists[list];
    const { count = null, etag = null, publishedAt: published_at = null } = published ?? {};
    return { list, count, etag, published_at, is_behind };
  });
  const megabytes = (size.bytes / 1e6).toFixed(1);
  const share = ((100 * size.bytes) / maximumDatabaseBytes).toFixed(1);
  const database = `${megabytes} MB, ${share} % of the ${maximumDatabaseBytes / 1e9} GB that D1 allows`;
  const runs = findings.runs.map(({ id: _, startedAt, tookMilliseconds, ...run }) => {
    return { ...run, started_at: startedAt, took_ms: tookMilliseconds };
  });
  return {
    data: {
      ...{ status, alarms, service, version },
      database: {
        is_reachable: health.isDatabaseReachable,
        bytes: size.bytes,
        maximum_bytes: maximumDatabaseBytes,
        rows: size.rows,
      },
      lists: Object.fromEntries(lists.map(({ list, ...others }) => [list, others])),
      cron_runs: runs,
    },
    text: [
      fieldLines({ status, service: serviceText(service), version, database }),
      ...alarms.map(
        (one) => `${isWarning(one) ? 'warning' : 'alarm'} ${one.alarm}: ${one.message}`,
      ),
      '',
      table(lists, '', ['list', 'count', 'published_at', 'is_behind']),
      '',
      table(runs, 'the cron has not run yet'),
    ].join('\n'),
  };
}

function serviceText({ address, status, version, build }: Omit<AskedService, 'problem'>): string {
  if (address === null) return 'not asked';
  const running = version === null ? '' : `, version ${version}, build ${build}`;
  return `${address}: ${status}${running}`;
}
