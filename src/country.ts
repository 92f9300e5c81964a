import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };

const known = new Set(codes.map(([alpha2]) => alpha2));
const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** Whether it is an ISO 3166-1 alpha-2 code, in upper case. */
export function isCountryCode(code: string): boolean {
  return known.has(code);
}

/** The country's English name, for a message. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}
