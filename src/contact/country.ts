import { asciiUpperCase } from '../text/ascii-case.ts';

/**
 * ISO 3166-1 alpha-2, the officially assigned codes as of November 2026 (ISO 3166 Maintenance Agency, Online Browsing
 * Platform), and XK, which the standard leaves to its users and the European Union assigns to Kosovo: each first letter
 * with the second letters that may follow it.
 */
const codes = `
  A:DEFGILMOQRSTUWXZ B:ABDEFGHIJLMNOQRSTVWYZ C:ACDFGHIKLMNORUVWXYZ D:EJKMOZ E:CEGHRST F:IJKMOR G:ABDEFGHILMNPQRSTUWY
  H:KMNRTU I:DELMNOQRST J:EMOP K:EGHIMNPRWYZ L:ABCIKRSTUVY M:ACDEFGHKLMNOPQRSTUVWXYZ N:ACEFGILOPRUZ O:M
  P:AEFGHKLMNRSTWY Q:A R:EOSUW S:ABCDEGHIJKLMNORSTVXYZ T:CDFGHJKLMNORTVWZ U:AGMSYZ V:ACEGINU W:FS X:K Y:ET Z:AMW`;

const known = new Set(
  codes
    .trim()
    .split(/\s+/)
    .flatMap(([first, , ...seconds]) => seconds.map((second) => `${first}${second}`)),
);

export function isCountryCode(code: string): boolean {
  return known.has(code);
}

/**
 * Turns a country's code into upper case, without spaces around it. Other text, which a former registry may have
 * stored, stays as it is.
 */
export function knownCountry(text: string): string {
  const code = asciiUpperCase(text.trim());
  return isCountryCode(code) ? code : text;
}
