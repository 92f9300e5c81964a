import { desc } from 'drizzle-orm';
import { auctionStatuses, cronRuns } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { type Env, entriesOf } from '../base/env.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { countOverdue } from '../contact/operator/administer.ts';
import { listDueDisclosures } from '../contact/operator/disclosure/read.ts';
import {
  listAuctionsNotRestarted,
  listAuctionsOfDomains,
  listOverdueAuctions,
} from '../name/auction/operator/waiting.ts';
import { listEndingCertificates } from '../party/credential/operator/certificate.ts';
import { listGivenUp } from '../party/webhook/operator/given-up.ts';
import { listFailingWebhooks } from '../party/webhook/outbox.ts';
import { readHealth } from '../worker/health/health.ts';
import { disclosureHoursOf } from '../worker/settings.ts';

/** D1's limit (d1/platform/limits). */
export const maximumDatabaseBytes = 10_000_000_000;

/** The cron runs every hour. */
const maximumCronPauseMilliseconds = 2 * 60 * 60 * 1000;
const largeShare = 0.8;

export type Findings = Awaited<ReturnType<typeof readFindings>>;

/** The cron's runs are newest first. */
export async function readFindings(db: Database, env: Env, now: Date, isDeployed: boolean) {
  const restarting = entriesOf(env.AUCTION_RESTART_STATUSES ?? '');
  const statuses = auctionStatuses.filter((status) => restarting.includes(status));
  const reading = {
    health: readHealth(db, env.LISTS, now),
    runs: listCronRuns(db, 5),
    bytes: readBytes(db),
    failingWebhooks: listFailingWebhooks(db, now),
    givenUpDeliveries: listGivenUp(db),
    endingCertificates: listEndingCertificates(db, now),
    /** Open requests due within a day, or overdue. */
    dueDisclosures: listDueDisclosures(db, disclosureHoursOf(env), now),
    overdueVerifications: countOverdue(db, now),
    overdueAuctions: listOverdueAuctions(db, now),
    auctionsOfDomains: listAuctionsOfDomains(db),
    auctionsNotRestarted: listAuctionsNotRestarted(db, statuses, now),
  };
  // In parallel: with --remote, each is a round trip.
  const found = await Promise.all(
    Object.entries(reading).map(async ([name, value]) => [name, await value] as const),
  );
  const findings = Object.fromEntries(found) as {
    [Name in keyof typeof reading]: Awaited<(typeof reading)[Name]>;
  };
  // A local server runs no cron by itself.
  return { ...findings, isDeployed };
}

export function listCronRuns(db: Database, count: number) {
  return db.select().from(cronRuns).orderBy(desc(cronRuns.id)).limit(count);
}

export async function readBytes(db: Database): Promise<number> {
  return (await db.$client.prepare('select 1').run()).meta.size_after;
}

/** Each alarm has an entry in the runbook. */
const alarms = {
  failing: ({ health }) => health.reasons,
  cron_late({ runs: [last], isDeployed }, now) {
    const isLate =
      !last || now.getTime() - Date.parse(last.startedAt) > maximumCronPauseMilliseconds;
    if (!isDeployed || !isLate) return [];
    if (!last) return [['The cron has never run.']];
    return [sentence`The cron has not run since ${{ instant: last.startedAt }}.`];
  },
  cron_failed: ({ runs: [last] }) =>
    last?.failed.length
      ? [sentence`The last cron run failed to do ${{ field: 'failed', value: last.failed }}.`]
      : [],
  database_large({ bytes }) {
    const share = bytes / maximumDatabaseBytes;
    return share > largeShare ? [[`The database is ${Math.floor(100 * share)} % full.`]] : [];
  },
  webhook_failing: ({ failingWebhooks }) =>
    failingWebhooks.map(({ registrar: key, since: instant }) => {
      const registrar = { kind: 'registrar', key } as const;
      return {
        sentence: sentence`The webhook of ${registrar} fails; the oldest delivery that has not arrived was created at ${{ instant }}.`,
        command: ['registrar', 'webhook', 'list', key],
      };
    }),
  deliveries_given_up: ({ givenUpDeliveries }) =>
    givenUpDeliveries.map(({ registrar: key, deliveries, since: instant }) => {
      const registrar = { kind: 'registrar', key } as const;
      return {
        sentence: sentence`Deliveries to the webhook of ${registrar} that were given up: ${String(deliveries)}, the oldest created at ${{ instant }}. Send them again, or drop them.`,
        command: ['registrar', 'webhook', 'resend', key, '--since', instant],
        otherwise: ['registrar', 'webhook', 'drop', key],
      };
    }),
  certificate_ending: ({ endingCertificates }, now) =>
    endingCertificates.map(({ holder, endsAt }) => {
      const refused = ': its logins are refused.';
      if (endsAt === null) {
        return sentence`No certificate is bound to ${holder}, which needs one${refused}`;
      }
      const isOver = endsAt <= now.toISOString();
      const last = `The last certificate of ${holder}, which needs one, ${isOver ? 'ended' : 'ends'}`;
      return sentence`${last} at ${{ instant: endsAt }}${isOver ? refused : '.'}`;
    }),
  disclosure_late: ({ dueDisclosures }, now) =>
    dueDisclosures
      .filter(({ answerBy }) => answerBy < now.toISOString())
      .map(({ id, answerBy }) => disclosureSentence(id, 'was', answerBy)),
  disclosure_due: ({ dueDisclosures }, now) =>
    dueDisclosures
      .filter(({ answerBy }) => answerBy >= now.toISOString())
      .map(({ id, answerBy }) => disclosureSentence(id, 'is', answerBy)),
  verification_overdue: ({ overdueVerifications: count }) =>
    count > 0
      ? [
          {
            sentence: [`Contacts with overdue demands for verification: ${count}.`],
            command: ['contact', 'list', '--overdue'],
          },
        ]
      : [],
  auction_overdue: ({ overdueAuctions }) =>
    overdueAuctions.map(({ name, registrationDeadline: day }) => ({
      sentence: sentence`${nameOf(name)} was sold at auction and is paid, and was to be registered by ${{ field: 'registration_deadline', value: day }}.`,
      command: ['auction', 'show', name],
    })),
  auction_of_domain: ({ auctionsOfDomains }) =>
    auctionsOfDomains.map(({ name, status }) => ({
      sentence: sentence`${nameOf(name)} is a registered domain, and has an auction with the status ${{ field: 'status', value: status }}.`,
      command: ['name', name],
    })),
  auction_not_restarted: ({ auctionsNotRestarted }) =>
    auctionsNotRestarted.map(({ name, status }) => ({
      sentence: sentence`${nameOf(name)} has had no auction since one ended as ${{ field: 'status', value: status }}, and is or was blocked or disputed.`,
      command: ['auction', 'start', name],
    })),
} satisfies Record<string, (findings: Findings, now: Date) => readonly (Sentence | Advice)[]>;

type AlarmName = keyof typeof alarms;
export const alarmNames = Object.keys(alarms) as AlarmName[];

/** Warnings: these become alarms if nobody acts, or wait for someone else. */
const warnings: readonly AlarmName[] = [
  'deliveries_given_up',
  'disclosure_due',
  'verification_overdue',
  'auction_overdue',
  'auction_of_domain',
  'auction_not_restarted',
];

interface Advice {
  sentence: Sentence;
  /** The words of a command that shows more, or helps. */
  command?: readonly string[];
  /** Those of another, to do without the first. */
  otherwise?: readonly string[];
}

export interface Alarm extends Advice {
  alarm: AlarmName;
}

export const isWarning = ({ alarm }: Pick<Alarm, 'alarm'>) => warnings.includes(alarm);

export function findAlarms(findings: Findings, now: Date): Alarm[] {
  return alarmNames.flatMap((alarm) =>
    alarms[alarm](findings, now).map((found) => ({
      alarm,
      ...('sentence' in found ? found : { sentence: found }),
    })),
  );
}

const nameOf = (key: string) => ({ kind: 'name', key }) as const;

function disclosureSentence(id: number, verb: string, instant: string): Sentence {
  const disclosure = { kind: 'disclosure', key: String(id) } as const;
  return sentence`The request for ${disclosure} ${verb} to be answered by ${{ instant }}.`;
}
