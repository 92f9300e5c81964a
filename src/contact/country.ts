import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };

const known = new Set(codes.map(([alpha2]) => alpha2));
/** Made at first use: it takes longer than the rest of the start. */
let names: Intl.DisplayNames | undefined;

/** Whether it is an ISO 3166-1 alpha-2 code, in upper case. */
export function isCountryCode(code: string): boolean {
  return known.has(code);
}

/** The country's English name, for a message. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region' });
  return names.of(code) ?? code;
}
