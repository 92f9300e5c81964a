import type { oas31 } from 'zod-openapi';

export const description = `A domain registry: contacts for registrars and registrants, auctions, and public lists of names.

- A trailing slash makes no difference, and \`HEAD\` works wherever \`GET\` does.
- Bodies are JSON in UTF-8. Text is trimmed and normalised to Unicode NFC; lengths are counted in characters.
- Unknown fields and query parameters are ignored, and named in \`Ignored-Fields\` and \`Ignored-Parameters\`.
- Times are ISO 8601 in UTC.
- Paths change only by addition: ignore fields that you do not know.
- Every answer but a 304 carries \`X-Content-Type-Options\`, \`X-Frame-Options\`, \`Content-Security-Policy\` and \`Referrer-Policy\`.
- Any other path is answered with 404, in the error format of the interface that it belongs to.`;

export const tags: oas31.TagObject[] = [
  {
    name: 'Registrar: contacts',
    description:
      'HTTP Basic. A registrar sees and changes only its own contacts. Answers but the list are an envelope, `{code, message, data}`, where code 1000 means success.',
  },
  {
    name: 'Registrar: notifications',
    description:
      'What others did to a registrar’s contacts. Take the oldest, act on it, mark it as read, until `data` is empty.',
  },
  {
    name: 'Registrar: webhooks',
    description:
      'Notifications pushed to an address of the registrar’s ([Standard Webhooks](https://www.standardwebhooks.com)). A delivery may come twice, and in any order.',
  },
  {
    name: 'Registrant',
    description:
      'A person’s contacts at every registrar, for the portal that authenticates people.',
  },
  { name: 'Auctions', description: 'For the auction centre.' },
  {
    name: 'Public lists',
    description:
      'For anybody, pages of any origin included. Lists have a weak `ETag`, and take gzip. A change appears within a minute.',
  },
  { name: 'Health', description: 'For monitors.' },
  { name: 'Pages', description: 'HTML for people, and not for programs.' },
];
