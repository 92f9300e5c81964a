import { untilClosed } from '../../drizzle/schema.ts';
import type { Term } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import { isDay } from '../base/time/day.ts';
import { snakeCase } from '../change/history/changes.ts';

const dayFormat = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const;
const clockFormat = { ...dayFormat, hour: '2-digit', minute: '2-digit' } as const;
const formatTime = (text: string, format: Intl.DateTimeFormatOptions) =>
  new Date(text).toLocaleString('en-GB', format);

/** `31 Jan 2026`. */
export const dayText = (day: string) => formatTime(day, dayFormat);

const seconds = { year: 31_557_600, month: 2_629_800, day: 86_400, hour: 3_600, minute: 60 };
const distance = new Intl.RelativeTimeFormat('en');

/** `27 Nov 2026, 23:13 UTC (5 hours ago)`. */
export function timeText(instant: string): string {
  const away = (Date.parse(instant) - currentTime().getTime()) / 1000;
  const units = Object.entries(seconds) as [keyof typeof seconds, number][];
  // At least two of a unit, so that rounding drops less than half.
  const [unit, length] = units.find(([, length]) => Math.abs(away) >= 2 * length) ?? ['minute', 60];
  const count = Math.trunc(away / length);
  const relative = count === 0 ? 'now' : distance.format(count, unit);
  return `${formatTime(instant, clockFormat)} UTC (${relative})`;
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
    .replace(/^(\d+-)?ApiUser: /, 'API user ')
    .replace(/^(\d+-)?RegistrantUser: /, 'the registrant ')
    .replace(/^System: /, 'the system ');

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
    return parts.map(([name, part]) => `${fieldWords(name)}: ${valueText(part, name)}`).join(', ');
  }
  const text = String(value);
  const name = snakeCase(field);
  if (identifierFields.test(name)) return fieldWords(text);
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

export function termText(term: Term): string {
  if ('day' in term) return dayText(term.day);
  if ('instant' in term) return timeText(term.instant);
  if ('actor' in term) return actorText(term.actor);
  return 'value' in term ? valueText(term.value, term.field) : fieldWords(term.field);
}
