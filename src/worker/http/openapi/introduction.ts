import type { Env } from '../../../base/env.ts';
import { findPolicies, findSupport } from '../../settings.ts';

export const description = `A domain registry: contacts for registrars and registrants, auctions, and public lists of names. [The guide](/docs/guide) says how to begin, and [What changed](/docs/changes) what each release brings.

- A trailing slash makes no difference, and \`HEAD\` works wherever \`GET\` does.
- Bodies are JSON in UTF-8, without a \`Content-Encoding\`. Text is trimmed and normalised to Unicode NFC; lengths are counted in characters.
- Unknown fields and query parameters are ignored, and named in \`Ignored-Fields\` and \`Ignored-Parameters\`.
- Times are ISO 8601 in UTC.
- What is under \`/repp/v1\` and \`/api/v1\` changes only by addition: ignore fields that you do not know.
- Every answer but a 304 carries \`X-Content-Type-Options\`, \`X-Frame-Options\`, \`Content-Security-Policy\` and \`Referrer-Policy\`.
- Any other path is answered with 404, in the error format of the interface that it belongs to.

Poll a public list at most once a minute, with \`If-None-Match\` or by its changes; caches make more often of little use. After a 429, a 5xx or no answer, keep the list that you hold and ask again later: as \`Retry-After\` says, otherwise after twice as long each time, up to an hour. A list is published within a minute of a change; until it is seen everywhere, the cache’s 15 seconds and up to 60 of the storage may pass.`;

/** Links to the policies, and to whom to ask, as the settings name them. */
export function introductionFor(settings: Partial<Env>): string {
  const support = findSupport(settings.SUPPORT_URL);
  const links = findPolicies(settings).map(({ policy, url }) => `[${policy} policy](<${url}>)`);
  if (support) links.unshift(`[support](<${support}>)`);
  if (links.length === 0) return description;
  return `${description}\n\nOf this registry: ${links.join(', ')}.`;
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
    'compressed with gzip. A list is published within a minute of a change. The introduction ' +
    'says how often to ask, and what to do when the service fails.',
  Health: 'For monitors.',
  Pages: 'HTML for people; programs read the lists.',
};

export type Tag = keyof typeof tagDescriptions;

export const tags = Object.entries(tagDescriptions).map(([name, description]) => ({
  name,
  description,
}));
