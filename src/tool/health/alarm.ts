import type { Auction } from '../../name/auction/read.ts';
import type { CronRun } from '../../worker/cron.ts';
import type { Health } from '../../worker/health/health.ts';
import { type DatabaseSize, maximumDatabaseBytes } from './database-size.ts';

/** Each needs an operator's attention, and has an entry in the runbook. */
export const alarmNames = [
  'failing',
  'cron_late',
  'cron_failed',
  'database_large',
  'webhook_failing',
  'certificate_ending',
  'disclosure_due',
  'disclosure_late',
  'verification_overdue',
  'auction_overdue',
  'auction_not_restarted',
] as const;
type AlarmName = (typeof alarmNames)[number];

export interface Alarm {
  alarm: AlarmName;
  message: string;
}

/** A warning becomes an alarm unless the operator does something, or is what others are late with. */
export function isWarning({ alarm }: Alarm): boolean {
  const warnings: AlarmName[] = [
    'disclosure_due',
    'verification_overdue',
    'auction_overdue',
    'auction_not_restarted',
  ];
  return warnings.includes(alarm);
}

/** The cron runs every hour. */
const maximumCronPauseMilliseconds = 2 * 60 * 60 * 1000;
const largeShare = 0.8;

export interface Findings {
  health: Health;
  /** Newest first. */
  runs: readonly CronRun[];
  size: DatabaseSize;
  failingWebhooks: readonly { registrar: string; since: string }[];
  endingCertificates: readonly { holder: string; endsAt: string | null }[];
  /** Open requests whose time ends within a day, or has ended. */
  dueDisclosures: readonly { id: number; answerBy: string }[];
  /** How many contacts registrars should have verified. */
  overdueVerifications: number;
  overdueAuctions: readonly Pick<Auction, 'name' | 'registrationDeadline'>[];
  auctionsNotRestarted: readonly Pick<Auction, 'name' | 'status'>[];
  /** A local server runs no cron by itself. */
  isDeployed: boolean;
}

export function findAlarms(findings: Findings, now: Date): Alarm[] {
  const { health, runs, size, failingWebhooks, endingCertificates, isDeployed } = findings;
  const alarms: Alarm[] = [];
  const raise = (alarm: AlarmName, message: string) => {
    alarms.push({ alarm, message });
  };
  for (const reason of health.reasons) raise('failing', reason);
  const [last] = runs;
  const lastAt = last ? Date.parse(last.startedAt) : 0;
  if (isDeployed && now.getTime() - lastAt > maximumCronPauseMilliseconds) {
    const since = last && `The cron has not run since ${last.startedAt}.`;
    raise('cron_late', since ?? 'The cron has never run.');
  }
  if (last && last.failed.length > 0) {
    raise('cron_failed', `The last cron run failed to do ${last.failed.join(', ')}.`);
  }
  if (size.bytes > largeShare * maximumDatabaseBytes) {
    const percent = Math.floor((100 * size.bytes) / maximumDatabaseBytes);
    raise('database_large', `The database is ${percent} % full.`);
  }
  for (const { registrar, since } of failingWebhooks) {
    raise('webhook_failing', `The webhook of ${registrar} has been failing since ${since}.`);
  }
  for (const { holder, endsAt } of endingCertificates) {
    const isOver = endsAt === null || endsAt <= now.toISOString();
    const refused = isOver ? ': its logins are refused' : '';
    const last =
      endsAt === null
        ? `No certificate is bound to ${holder}, which needs one`
        : `The last certificate of ${holder}, which needs one, ${isOver ? 'ended' : 'ends'} at ${endsAt}`;
    raise('certificate_ending', `${last}${refused}.`);
  }
  for (const { id, answerBy } of findings.dueDisclosures) {
    const isLate = answerBy < now.toISOString();
    const message = `The request for disclosure ${id} ${isLate ? 'was' : 'is'} to be answered by ${answerBy}.`;
    raise(isLate ? 'disclosure_late' : 'disclosure_due', message);
  }
  if (findings.overdueVerifications > 0) {
    const message = `Contacts with overdue demands for verification: ${findings.overdueVerifications} (contact list --overdue).`;
    raise('verification_overdue', message);
  }
  for (const { name, registrationDeadline } of findings.overdueAuctions) {
    const message = `The winner of ${name} has paid and had to register it by ${registrationDeadline} (auction show ${name}).`;
    raise('auction_overdue', message);
  }
  for (const { name, status } of findings.auctionsNotRestarted) {
    const message = `${name} was not put up for auction again after ${status}, because it was blocked or disputed (auction start ${name}).`;
    raise('auction_not_restarted', message);
  }
  return alarms;
}
