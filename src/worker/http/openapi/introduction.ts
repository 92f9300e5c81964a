import type { Env } from '../../../base/env.ts';
import { findLink, findPolicies, findPublicUrl, findSupport } from '../../settings.ts';

export const description = `A domain registry: contacts for registrars and registrants, auctions, and public lists of names. [The guide](/docs/guide) says how to begin and lists all codes, and [What changed](/docs/changes) what each release brings.

- A trailing slash makes no difference, and \`HEAD\` works wherever \`GET\` does.
- Bodies are JSON in UTF-8, without a \`Content-Encoding\`. Text is trimmed and normalised to Unicode NFC; lengths are counted in characters.
- Unknown fields and query parameters are ignored, and named in \`Ignored-Fields\` and \`Ignored-Parameters\`.
- Times are ISO 8601 in UTC.
- What is under \`/repp/v1\` and \`/api/v1\` changes only by addition: ignore fields that you do not know.
- Every answer but a 304 carries \`X-Content-Type-Options\`, \`X-Frame-Options\`, \`Content-Security-Policy\` and \`Referrer-Policy\`.
- Any other path is answered with 404, in the error format of the interface that it belongs to.`;

/** About a registry on the reader's own machine. A deployed one shows nothing of it. */
export const localAccess = `**On this machine**, the registry has the logins of its demo data: the registrars \`alpha:alpha-demo-secret\` and \`beta:beta-demo-secret\`, the system \`epp-demo-key\`, and the registrant EE 38001085718. Its limits are off, so no call gets 429: \`npm start -- --limits production\` sets them as deployed. A webhook may have an address such as \`http://localhost:9000/\`.`;

/** Programs of the source that call the interfaces, by their paths. */
const programs = {
  'test/client-project/contact-sync.ts': 'a copy of a registrar’s contacts',
  'test/epp-bridge/bridge.ts': 'an EPP server',
  'test/walkthrough/auction.sh': 'an auction from start to end',
};

/** Adds what the settings name: policies, whom to ask, and the source. */
export function introductionFor(settings: Partial<Env>, isLocal = false): string {
  const support = findSupport(settings.SUPPORT_URL);
  const links = findPolicies(settings).map(({ policy, url }) => `[${policy} policy](<${url}>)`);
  if (support) links.unshift(`[support](<${support}>)`);
  const source = findLink(settings.SOURCE_URL)?.replace(/\/?$/, '/');
  const examples = Object.entries(programs).map(([path, text]) => `[${text}](<${source}${path}>)`);
  return [
    description,
    ...(isLocal ? [localAccess] : []),
    ...(links.length > 0 ? [`Of this registry: ${links.join(', ')}.`] : []),
    ...(source ? [`Programs in the source: ${examples.join(', ')}.`] : []),
  ].join('\n\n');
}

/** Where a client that is made from the document sends its calls: without PUBLIC_URL, to where it got the document. */
export function serversFor({ PUBLIC_URL }: Partial<Env>) {
  const url = findPublicUrl(PUBLIC_URL);
  return [url ? { url } : { url: '/', description: 'The service that serves this document' }];
}

/** The reference shows the descriptions where a reader enters a login. */
export function securitySchemes(isLocal: boolean) {
  const demo = (text: string) => (isLocal ? ` On this machine: ${text}.` : '');
  return {
    basic: {
      type: 'http' as const,
      scheme: 'basic',
      description: `An API user’s name and secret.${demo('`alpha` and `alpha-demo-secret`')}`,
    },
    bearer: {
      type: 'http' as const,
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: `A token from \`POST /api/v1/registrant/auth/eid\`.${demo('one for `38001085718`, Jaan Tamm')}`,
    },
    systemKey: {
      type: 'http' as const,
      scheme: 'bearer',
      description: `The key of one of the registry’s own systems, from its addresses. For calls of registrars, with \`Acting-For\`.${demo('`epp-demo-key`')}`,
    },
  };
}

/** The reference has the tags in this order. */
const tagDescriptions = {
  'Registrar: contacts':
    'HTTP Basic, or the key of a system that acts for a registrar. A registrar sees and changes ' +
    'only its own contacts. Every answer except the list is an envelope, `{code, message, ' +
    'data}`, where code 1000 means success.',
  'Registrar: account': 'Who calls, and a new secret for the API user that calls.',
  'Registrar: notifications':
    'What others changed in the registrar’s contacts, and new secrets of its API users. Take ' +
    'the oldest, act on it, mark it as read, and repeat until `data` is empty.',
  'Registrar: webhooks':
    'Notifications that are pushed to an HTTPS address of the registrar, as [Standard ' +
    'Webhooks](https://www.standardwebhooks.com). They are listed under Webhooks. They come one ' +
    'at a time, in the order of the notifications; one may come more than once.',
  Registrant: 'A person’s contacts at every registrar, for the portal that authenticates people.',
  Auctions:
    'For the auction centre. A single auction is read and reported on only from the addresses that the operator allows.',
  'Identity service':
    'For the registry’s identity service, which calls back when it has identified somebody.',
  Internal:
    'For the registry’s own systems, such as an EPP server or a web shop. Each has a key and may do what the operator allows it. Every call may be repeated.',
  'Public lists':
    'Open to everyone, including scripts on any web page. Lists have a weak `ETag` and are ' +
    'compressed with gzip.\n\n' +
    'Poll a list at most once a minute, with `If-None-Match` or by its changes. After a 429, a 5xx ' +
    'or no answer, keep the list that you hold and ask again later: as `Retry-After` says, otherwise ' +
    'after twice as long each time, up to an hour. A list is published within a minute of a change; ' +
    'until it is seen everywhere, the cache’s 15 seconds and up to 60 of the storage may pass.',
  Health: 'For monitors.',
  Pages: 'HTML for people; programs read the lists.',
};

export type Tag = keyof typeof tagDescriptions;

export const tags = Object.entries(tagDescriptions).map(([name, description]) => ({
  name,
  description,
}));
