import { RegistryError } from '../../../base/error.ts';
import { asciiLowerCase, asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { faultSentence, readDomainName } from '../../../base/text/domain-name.ts';
import { currentTime } from '../../../base/time/clock.ts';
import { isDay } from '../../../base/time/day.ts';
import { instantOf } from '../../../base/time/instant.ts';
import { normalisedCountry } from '../../../contact/country.ts';
import { secretOfName } from '../../../name/retained/save.ts';

/** Notes why a value is not taken as it is in the file. */
export type Note = (why: string) => void;

/**
 * Returns the canonical form of a non-empty field. Undefined counts as absent. Throws `invalid` if the row cannot be stored.
 */
export type ReadText = (text: string, note: Note) => string | null | undefined;

/** Refuses a useless row: the cron may have removed it. */
export const isOver = 'is over';

/** Normalised as in a registration. */
export const givenSecret: ReadText = (text, note) => {
  const { data = null } = secretOfName().safeParse(text);
  if (data === null) note('cannot be given in a registration; it is left out');
  else if (data !== text) note('is now trimmed and composed (NFC), as a registration gives it');
  return data;
};

/** Persons are found by it. */
export const country: ReadText = (text, note) => {
  const code = normalisedCountry(text);
  if (code !== text) note('is now in upper case, without spaces around it');
  return code;
};

const matching =
  (pattern: RegExp, otherwise: string): ReadText =>
  (text) => {
    if (pattern.test(text)) return text;
    throw refusal(otherwise);
  };

export const positiveInteger = matching(/^[1-9]\d{0,14}$/, 'is not a positive whole number');

export const uuid: ReadText = (text, note) =>
  matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'is not a UUID')(
    asciiLowerCase(text),
    note,
  );

export const sha256Of = (one: string) =>
  matching(/^[0-9a-f]{64}$/, `is not the SHA-256 of ${one}, in hexadecimal`);

export const code: ReadText = (text, note) => {
  if (text.trim() === '') throw refusal('is missing');
  if (text.length > 100) throw refusal('has more than 100 characters');
  const upper = asciiUpperCase(text);
  if (upper !== text) note('is now in upper case');
  return upper;
};

export const registrarCode: ReadText = (text, note) => {
  if (/[:\p{Cc}]/u.test(text)) {
    throw refusal('contains a colon or a control character');
  }
  return code(text, note);
};

export const username = matching(
  /^[^:]*$/,
  'contains a colon, which ends a username in HTTP Basic',
);

export const domainName: ReadText = (text, note) => {
  const read = readDomainName(text);
  if (!read.domain) throw refusal(`is not a domain name: it ${faultSentence(text, read.fault)}`);
  const { name } = read.domain;
  if (name !== text) note('is now in its Unicode form, in lower case');
  return name;
};

export const oneOf =
  (values: readonly string[]): ReadText =>
  (text) => {
    if (values.includes(text)) return text;
    throw refusal(`is not one of ${values.join(', ')}`);
  };

/** ISO 8601 and PostgreSQL's timestamps, with spaces around the time and an offset of hours. */
function timeIn(text: string): string | undefined {
  const [day, ...time] = text.trim().split(/[ T]/);
  return instantOf([day, ...(time.length > 0 ? ['T'] : []), ...time].join(''))?.toISOString();
}

/** The age of a row, with no other effect. */
export const requiredInstant: ReadText = (text, note) => {
  const at = timeIn(text);
  if (at === undefined) note('is not a time; it is left out');
  return at;
};

/** PostgreSQL may write `infinity`. */
export function isEndless(text: string): boolean {
  if (text.trim() === '-infinity') throw refusal('is an end before all time');
  return text.trim() === 'infinity';
}

/** Unreadable, it is refused, or the thing would never end. */
export const instant: ReadText = (text) => {
  if (isEndless(text)) return null;
  const at = timeIn(text);
  if (at === undefined) throw refusal('is not a time');
  return at;
};

/** Any value, even an unreadable one, closes the thing. */
export const closedSince: ReadText = (text, note) => {
  const at = timeIn(text);
  if (at === undefined) note('is not a time; it counts as 1970-01-01');
  return at ?? new Date(0).toISOString();
};

export const requiredDay: ReadText = (text) => {
  const [, date] = /^(\d{4}-\d\d-\d\d)(?:[ T].*)?$/.exec(text.trim()) ?? [];
  if (date === undefined || !isDay(date)) throw refusal('is not a day');
  return date;
};

export const day: ReadText = (text, note) => (isEndless(text) ? null : requiredDay(text, note));

/** The last day or instant of a row's use. */
export const lastOf =
  (read: ReadText): ReadText =>
  (text, note) => {
    const last = read(text, note);
    if (last && last < currentTime().toISOString().slice(0, last.length)) throw refusal(isOver);
    return last;
  };

export const list: ReadText = (text, note) => {
  const elements = parseJson(text);
  if (Array.isArray(elements)) return JSON.stringify(elements.map(String));
  note('is not a list; it is now a list of one');
  return JSON.stringify([text]);
};

export const map: ReadText = (text, note) => {
  const entries = parseJson(text);
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    note('is not a map; it is now a map with the key "note"');
    return JSON.stringify({ note: text });
  }
  const texts = Object.entries(entries).map(([key, value]) => [key, String(value ?? '')]);
  return JSON.stringify(Object.fromEntries(texts));
};

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function refusal(why: string, column?: string): RegistryError {
  return new RegistryError('invalid', why, column);
}
