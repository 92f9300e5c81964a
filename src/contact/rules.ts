import * as z from 'zod/mini';
import { discloseableAttributes, identityTypes } from '../../drizzle/schema.ts';
import { onFirstUse } from '../base/on-first-use.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { emailField } from '../base/text/email.ts';
import { isBlank, spoiledBy, storedText, textField } from '../base/text/field.ts';
import { phoneField } from '../base/text/phone.ts';
import type { Contact } from './contact.ts';
import { isCountryCode } from './country.ts';

/** Each zod type accepts the client's value and returns the stored one. */

const countryForm = 'the two letters of a country (ISO 3166-1 alpha-2)';

const countryCode = (message: string) =>
  z.pipe(
    textField(message, 2, (value) => isCountryCode(asciiUpperCase(value)), countryForm),
    z.transform(asciiUpperCase),
  );

export const contactRules = {
  name: onFirstUse(() =>
    z.pipe(
      textField('Name is invalid', 255),
      // ASCII is its own key, so a search would look for every number of blanks.
      z.transform((name) => name.replace(/\p{Zs}{2,}/gu, ' ')),
    ),
  ),
  orgName: onFirstUse(() => textField('Org name is invalid', 255)),
  email: onFirstUse(() => emailField('Email is invalid')),
  phone: onFirstUse(() => phoneField('Phone nr is invalid')),
  fax: onFirstUse(() => phoneField('Fax nr is invalid')),
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
    const plain = storedText(text, stored.length) ?? text;
    return isCountry ? asciiUpperCase(plain) : plain;
  };
  return form(value) === form(stored);
}
