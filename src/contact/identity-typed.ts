import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { typed } from '../base/text/typed.ts';
import { isCountryCode } from './country.ts';
import type { ContactIdentity } from './fields.ts';

type TypedIdentity = Pick<ContactIdentity, 'ident'> & Partial<ContactIdentity>;

/** The schemes of ETSI EN 319 412-1, 5.1.3 and 5.1.4, before the country: `PNOEE-38001085718`. */
const withCountry =
  /^(?:(?:PNO|IDC|PAS|TAX|TIN|NTR|VAT|PSD|LEI)(?=[A-Z]{2}[-:]))?([A-Z]{2})[\s:/-]*([\dA-Z].*)$/s;

/**
 * Reads an identity code as people type and paste it: the code itself and, where it begins with a country, also the rest
 * of it in that country, because a passport may begin with letters.
 */
export function identitiesIn(text: string): [TypedIdentity, TypedIdentity?] {
  const ident = typed(text);
  const [, identCountryCode = '', rest = ''] = withCountry.exec(asciiUpperCase(ident)) ?? [];
  if (!isCountryCode(identCountryCode)) return [{ ident }];
  return [{ ident }, { ident: rest, identCountryCode }];
}
