import { RegistryError } from '../../base/error.ts';
import { unseenIn } from '../../base/text/field.ts';

/** Of the text, and of the URL as it is stored and sent: encoded. */
export const maximumUrlLength = 2_000;

/**
 * Suffixes outside the public internet: special-use names (iana.org/assignments/special-use-domain-names) and the rest
 * of `arpa`, ICANN's `internal`, and common names of private networks.
 */
const privateSuffixes = [
  ...['alt', 'arpa', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['example', 'example.com', 'example.net', 'example.org'],
  ...['internal', 'localdomain', 'lan', 'home', 'corp', 'intranet', 'private'],
];

/**
 * Requires https and a public host name, without a user name or password. The local environment also allows http and
 * this machine. Throws `invalid` with the reason, for the field.
 */
export function parseWebhookUrl(
  text: string,
  { isLocal, field = 'webhook' }: { isLocal: boolean; field?: string },
): string {
  const refused = (problem: string) =>
    new RegistryError('invalid', `the webhook ${problem}`, field);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The parser would leave out line breaks and soft hyphens.
  const unseen = unseenIn(text.trim());
  if (!url || unseen || Math.max(text.length, url.href.length) > maximumUrlLength) {
    const rule = `must be a URL of at most ${maximumUrlLength} characters, also once encoded`;
    throw refused(unseen ?? rule);
  }
  if (url.username !== '' || url.password !== '')
    throw refused('must not contain a user name or password');
  if (url.port === '0') throw refused('must not have the port 0');
  url.hash = '';
  if (isLocal && isThisMachine(url)) return url.href;
  if (url.protocol !== 'https:') throw refused('must begin with https://');
  if (isIpAddress(url.hostname)) throw refused('must name its host, not give an IP address');
  if (isPrivateName(url.hostname)) throw refused('must name a host of the public internet');
  return url.href;
}

function isThisMachine({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The parser turns every notation of an IPv4 address (127.1, 0x7f000001, 2130706433) into this one. */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  const isPrivate = (suffix: string) => name === suffix || name.endsWith(`.${suffix}`);
  const labels = name.split('.');
  return labels.length === 1 || labels.includes('') || privateSuffixes.some(isPrivate);
}
