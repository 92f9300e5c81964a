import type { oas31 } from 'zod-openapi';

export const description = `A domain registry: contacts for registrars and registrants, auctions, and public lists of names.

- A trailing slash makes no difference, and \`HEAD\` works wherever \`GET\` does.
- Bodies are JSON in UTF-8. Text is trimmed and normalised to Unicode NFC; lengths are counted in characters.
- Unknown fields and query parameters are ignored, and named in \`Ignored-Fields\` and \`Ignored-Parameters\`.
- Times are ISO 8601 in UTC.
- What is under \`/repp/v1\` and \`/api/v1\` changes only by addition: ignore fields that you do not know.
- Every answer but a 304 carries \`X-Content-Type-Options\`, \`X-Frame-Options\`, \`Content-Security-Policy\` and \`Referrer-Policy\`.
- Any other path is answered with 404, in the error format of the interface that it belongs to.`;

export const tags: oas31.TagObject[] = [
  {
    name: 'Registrar: contacts',
    description:
      'HTTP Basic. A registrar sees and changes only its own contacts. Every answer except the list is an envelope, `{code, message, data}`, where code 1000 means success.',
  },
  {
    name: 'Registrar: notifications',
    description:
      'What others changed in the registrar’s contacts. Take the oldest, act on it, mark it as read, and repeat until `data` is empty.',
  },
  {
    name: 'Registrar: webhooks',
    description:
      'Notifications that are pushed to an HTTPS address of the registrar, as [Standard Webhooks](https://www.standardwebhooks.com). They are listed under Webhooks. A delivery may come more than once, and in any order.',
  },
  {
    name: 'Registrant',
    description:
      'A person’s contacts at every registrar, for the portal that authenticates people.',
  },
  {
    name: 'Auctions',
    description:
      'For the auction centre. A single auction is read and reported on only from the addresses that the operator allows.',
  },
  {
    name: 'Public lists',
    description:
      'Open to everyone, including scripts on any web page. Lists have a weak `ETag` and are compressed with gzip. A change appears within a minute.',
  },
  { name: 'Health', description: 'For monitors.' },
  { name: 'Pages', description: 'HTML for people; programs read the lists.' },
];
