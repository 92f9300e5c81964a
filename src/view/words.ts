import { untilClosed } from '../../drizzle/schema.ts';
import type { Term } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import { isDay } from '../base/time/day.ts';
import { snakeCase } from '../change/history/changes.ts';
import { findTimeZone } from '../worker/settings.ts';

/** Where the staff's clocks are. A process shows the times of one registry. */
let staffZone: string | undefined;

export function showTimesIn({ TIME_ZONE }: { TIME_ZONE?: string | undefined }): void {
  staffZone = findTimeZone(TIME_ZONE);
}

const dayFormat = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const;
const clockFormat = { hour: '2-digit', minute: '2-digit' } as const;
const weekdayFormat = { weekday: 'short' } as const;
const formatTime = (text: string, format: Intl.DateTimeFormatOptions, timeZone = 'UTC') =>
  new Date(text).toLocaleString('en-GB', { ...format, timeZone });

/** `31 Jan 2026`. Days are in UTC. */
export const dayText = (day: string) => formatTime(day, dayFormat);

/** `Sat 01:13 in Tallinn`, with the weekday only where it differs from the one in UTC. */
function staffTime(instant: string, zone: string): string {
  const [weekday, there] = [undefined, zone].map((at) => formatTime(instant, weekdayFormat, at));
  const clock = formatTime(instant, clockFormat, zone);
  const place = zone.replace(/^.*\//, '').replaceAll('_', ' ');
  return `${weekday === there ? '' : `${there} `}${clock} in ${place}`;
}

const seconds = { year: 31_557_600, month: 2_629_800, day: 86_400, hour: 3_600, minute: 60 };
const distance = new Intl.RelativeTimeFormat('en');

/** `Fri 27 Nov 2026, 23:13 UTC (Sat 01:13 in Tallinn, 5 hours ago)`. */
export function timeText(instant: string): string {
  const away = (Date.parse(instant) - currentTime().getTime()) / 1000;
  const units = Object.entries(seconds) as [keyof typeof seconds, number][];
  // At least two of a unit, so that rounding drops less than half.
  const [unit, length] = units.find(([, length]) => Math.abs(away) >= 2 * length) ?? ['minute', 60];
  const count = Math.trunc(away / length);
  const relative = count === 0 ? 'now' : distance.format(count, unit);
  const weekday = formatTime(instant, weekdayFormat);
  const clock = formatTime(instant, clockFormat);
  const beside = [...(staffZone ? [staffTime(instant, staffZone)] : []), relative].join(', ');
  return `${weekday} ${dayText(instant)}, ${clock} UTC (${beside})`;
}

/** Words for fields and values whose own names say too little. */
const fieldLabels: Record<string, string> = {
  admin: 'administrative contacts',
  allowed_ips: 'may call from',
  auth_info: 'transfer password',
  birthday: 'person born',
  contact_count: 'contacts',
  country_code: 'country',
  created_at: 'since',
  deleted_at: 'until',
  disabled_at: 'disabled since',
  disclosed_attributes: 'public fields',
  email: 'e-mail',
  email_verification: 'e-mail verification',
  ident: 'identity code',
  ident_country_code: 'country of the identity',
  ident_type: 'kind of identity',
  is_behind: 'behind',
  is_certificate_required: 'needs a certificate',
  is_confidential: 'kept from the person',
  legacy_id: 'number in the former registry',
  org: 'organisation',
  org_name: 'organisation',
  organization: 'organisation',
  priv: 'person',
  punycode_name: 'punycode',
  registrant: 'holder',
  secret_changed_at: 'secret since',
  secret_digest: 'secret',
  status_notes: 'reasons of statuses',
  suspended_at: 'suspended since',
  tech: 'technical contacts',
  webhook_url: 'webhook',
  zip: 'postal code',
};

/** A field in words, whether it is spelt as a column or as in JSON. */
export function fieldWords(field: string): string {
  const name = snakeCase(field);
  if (Object.hasOwn(fieldLabels, name)) return fieldLabels[name]!;
  return name.replaceAll('_', ' ').replace(/ at$/, '');
}

/** `7-ApiUser: ats`, as people say it. */
export const actorText = (actor: string) =>
  actor
    .replace(/^Operator (.+)/s, 'the operator ($1)')
    .replace(/^move-in \(Operator (.+)\)$/s, 'the operator ($1), from the former registry')
    .replace(/^Scheduled run$/, 'the scheduled run')
    .replace(/^(\d+-)?ApiUser: /, 'API user ')
    .replace(/^(\d+-)?RegistrantUser: /, 'the registrant ')
    .replace(/^System: /, 'the system ');

const prohibited: Record<string, string> = {
  delete: 'deletion',
  hold: 'publication in the DNS',
  renew: 'renewal',
  transfer: 'transfer to another registrar',
  update: 'change',
};

/** A status of a contact, as in EPP. A former registry may have had others. */
export function statusWords(status: string): string {
  if (status === 'linked') return 'domains refer to it';
  if (status === 'ok') return 'nothing prevents a change';
  const [, who, what = ''] = /^(client|server)(\w+)Prohibited$/.exec(status) ?? [];
  const whose = who === 'client' ? 'its registrar' : 'the registry';
  const deed = prohibited[what.toLowerCase()] ?? what.toLowerCase();
  return who ? `${whose} prohibits its ${deed}` : fieldWords(status);
}

const checkLabels: Record<string, string> = { eid: 'electronic identity', eidas: 'eIDAS' };

/** A method of a check, or its framework, as a caller sent it. */
export const checkWords = (text: string) => checkLabels[text.toLowerCase()] ?? fieldWords(text);

const countries = new Intl.DisplayNames(['en'], { type: 'region' });

/** A country by its code. Any other text stays, because a former registry may have accepted it. */
export const countryText = (code: string | null) =>
  code && /^[A-Z]{2}$/.test(code) ? countries.of(code)! : code;

export const isNothing = (value: unknown) =>
  value === undefined || value === null || ['""', '[]', '{}'].includes(JSON.stringify(value));

/** Fields whose values are identifiers. */
const identifierFields =
  /^(status|outcome|claims|failed|ident_type|(requested_|granted_)?fields|disclosed_attributes)$/;
const timeFields =
  /(_at|_day|_deadline|_since|_until)$|^(answer_by|by|from|since|until|visible_after)$/;
const actorFields = /^(creator|updater|verified_by)$/;

/** A field of people's own words keeps them, and so does an identity code. */
export function valueText(value: unknown, field = ''): string {
  if (isNothing(value)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en-GB');
  if (Array.isArray(value)) return value.map((part) => valueText(part, field)).join(', ');
  if (typeof value === 'object') {
    const parts = Object.entries(value!).filter(
      ([name, part]) => name !== 'id' && !isNothing(part),
    );
    const wordsOf = snakeCase(field) === 'status_notes' ? statusWords : fieldWords;
    return parts.map(([name, part]) => `${wordsOf(name)}: ${valueText(part, name)}`).join(', ');
  }
  const text = String(value);
  const name = snakeCase(field);
  if (identifierFields.test(name)) return fieldWords(text);
  if (name === 'statuses') return statusWords(text);
  if (name === 'method' || name === 'framework') return checkWords(text);
  if (/country_code$/.test(name)) return countryText(text)!;
  if (actorFields.test(name)) return actorText(text);
  return timeFields.test(name) ? dateText(text) : text;
}

/** Any other text stays, such as what a former registry accepted. */
export function dateText(text: string): string {
  if (text === untilClosed) return 'none';
  if (isDay(text)) return dayText(text);
  const isInstant = /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
  return isInstant ? timeText(text) : text;
}

/** At the beginning of a sentence. A field and people's own words stay as they are. */
export function openingText(term: Term): string {
  const text = termText(term);
  return 'actor' in term ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function termText(term: Term): string {
  if ('day' in term) return dayText(term.day);
  if ('instant' in term) return timeText(term.instant);
  if ('actor' in term) return actorText(term.actor);
  if ('text' in term) return term.text;
  return 'value' in term ? valueText(term.value, term.field) : fieldWords(term.field);
}
