import * as z from 'zod/mini';
import { discloseableAttributes, identityTypes } from '../../drizzle/schema.ts';
import { onFirstUse } from '../base/on-first-use.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { nameOpenedFor, readDomainName } from '../base/text/domain-name.ts';
import {
  expecting,
  isBlank,
  plainText,
  spoiledBy,
  textField,
  unseenIn,
} from '../base/text/field.ts';
import type { Contact } from './contact.ts';
import { isCountryCode } from './country.ts';

/** Each zod type accepts the client's value and returns the stored one. */

/** RFC 5733: `+`, country code, dot, number. Avoids look-aheads, which many clients' programs lack. */
const phonePattern = /^\+\d{1,3}\.\d{1,14}$/;
const hasPartOfZeros = /^\+0+\.|\.0+$/;

const emailFault = 'Email is invalid';
/** RFC 5321, section 4.5.3.1.1. */
const maximumLocalOctets = 64;
const emailForm = `at most ${maximumLocalOctets} bytes (letters of any script, RFC 6531), \`@\`, and a domain name, which may be international`;

const phoneForm =
  '`+`, the country’s code, a dot, the number (RFC 5733), neither of zeros only: +372.55501020';

const countryForm = 'the two letters of a country (ISO 3166-1 alpha-2)';

const countryCode = (message: string) =>
  z.pipe(
    textField(message, 2, (value) => isCountryCode(asciiUpperCase(value)), countryForm),
    z.transform(asciiUpperCase),
  );

const phone = (message: string) =>
  expecting(
    phoneForm,
    textField(message, 19, phonePattern).check(
      z.refine((value) => !hasPartOfZeros.test(value), message),
    ),
  );

export const contactRules = {
  name: onFirstUse(() => textField('Name is invalid', 255)),
  orgName: onFirstUse(() => textField('Org name is invalid', 255)),
  email: onFirstUse(() => z.pipe(textField(emailFault, 255, undefined, emailForm), emailAddress())),
  phone: onFirstUse(() => phone('Phone nr is invalid')),
  fax: onFirstUse(() => phone('Fax nr is invalid')),
  authInfo: onFirstUse(() => textField('Auth info is invalid', 255)),
  street: onFirstUse(() => textField('Street is invalid', 255)),
  city: onFirstUse(() => textField('City is invalid', 255)),
  zip: onFirstUse(() => textField('Zip is invalid', 16)),
  state: onFirstUse(() => textField('State is invalid', 255)),
  countryCode: onFirstUse(() => countryCode('Country code is invalid')),
  ident: onFirstUse(() =>
    textField('Ident code is invalid', 64, (code) => spoiledBy(code) ?? true),
  ),
  identType: onFirstUse(() => z.enum(identityTypes, 'Ident type is invalid')),
  identCountryCode: onFirstUse(() => countryCode('Ident country code is invalid')),
  code: onFirstUse(() =>
    textField(
      'Contact id is invalid',
      100,
      /^[A-Za-z0-9_.:-]+$/,
      'at most 100 letters, digits, `_`, `.`, `:` and `-`, the registrar’s prefix included',
    ),
  ),
  disclosedAttributes: onFirstUse(() =>
    z.pipe(
      z.array(z.enum(discloseableAttributes, 'is not included in the list'), 'is not a list'),
      z.transform((attributes) =>
        discloseableAttributes.filter((attribute) => attributes.includes(attribute)),
      ),
    ),
  ),
};

/**
 * Ignores surrounding spaces, Unicode normalization and the case of country codes. Blank repeats blank, but a null
 * `auth_info` requests a new one.
 */
export function isRepeated(column: keyof Contact, value: unknown, stored: unknown): boolean {
  if (column === 'authInfo' && value === null) return false;
  if (isBlank(value)) return isBlank(stored);
  if (typeof value !== 'string' || typeof stored !== 'string') {
    return JSON.stringify(value) === JSON.stringify(stored);
  }
  const isCountry = column === 'countryCode' || column === 'identCountryCode';
  const form = (text: string) => {
    const plain = plainText(text, stored.length) ?? text;
    return isCountry ? asciiUpperCase(plain) : plain;
  };
  return form(value) === form(stored);
}

/** Letters, marks and digits of any script, except those that Unicode lets fonts omit. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}]';

/** RFC 5321's dot-string of atoms, with RFC 6531's letters of every script. Quoted strings are refused. */
const atom = `(${letter}|[!#$%&'*+\\-/=?^_\`{|}~])+`;
const localPattern = new RegExp(`^${atom}(\\.${atom})*$`, 'u');

/** Accepts international domain names. The top-level domain has letters only, or is in punycode. */
const emailAddress = () =>
  z.transform((email: string, { issues }) => {
    const [local = '', domain = '', ...rest] = email.split('@');
    const read = readDomainName(domain);
    const isLocal =
      rest.length === 0 &&
      localPattern.test(local) &&
      new TextEncoder().encode(local).length <= maximumLocalOctets;
    const hasLetters = /\.([a-z]{2,}|xn--[a-z\d-]+)$/.test(read.domain?.punycode ?? '');
    if (isLocal && hasLetters) return email;
    const suggestion = isLocal && !read.domain && nameOpenedFor(domain);
    const hint = suggestion
      ? ` Did you mean ${JSON.stringify(`${local}@${suggestion.name}`)}?`
      : '';
    const cause = unseenIn(email);
    const params = cause
      ? { brief: emailFault, detail: `It ${cause}.${hint}` }
      : { detail: `Expected: ${emailForm}.${hint}` };
    const message = cause ? `${emailFault}: ${cause}` : emailFault;
    issues.push({ code: 'custom', message, input: email, params });
    return z.NEVER;
  });
