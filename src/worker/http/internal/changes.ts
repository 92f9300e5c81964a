import * as z from 'zod/mini';
import { retry } from '../../../base/database/retry.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { snakeCase } from '../../../change/history/changes.ts';
import {
  beginning,
  type FollowedChange,
  findNewestPlace,
  listChangesAfter,
  placePattern,
} from '../../../change/history/follow.ts';
import { getContactByCode } from '../../../contact/contact.ts';
import { contactFields } from '../../../contact/fields.ts';
import { detailedRepresentation } from '../../../contact/representation.ts';
import { database, newApp } from '../request/context.ts';
import { query } from '../request/input.ts';
import { wholeNumber } from '../request/paging.ts';
import { may } from './login.ts';

export const internalChanges = newApp();

internalChanges.use(may('changes'));

export const changesQuery = onFirstUse(() =>
  z.object({
    limit: z._default(wholeNumber('Limit', 0, 200), 200),
    after: z.optional(
      z.string().check(z.regex(placePattern, 'After is not from an earlier answer')),
    ),
  }),
);

const expected = {
  limit: 'a whole number from 0 to 200',
  after: 'the value from an earlier answer',
};

internalChanges.get('/', query(changesQuery, expected), async (c) => {
  const { limit, after = beginning } = c.req.valid('query');
  const db = database(c);
  if (limit === 0) {
    return c.json({ changes: [], after: await findNewestPlace(db), more: false });
  }
  const page = await listChangesAfter(db, after, limit);
  return c.json({ ...page, changes: page.changes.map(changeRepresentation) });
});

function changeRepresentation({ subject, fields, ...entry }: FollowedChange) {
  return {
    id: entry.id,
    at: entry.occurredAt,
    subject,
    key: entry.subjectKey,
    uuid: entry.subjectUuid,
    registrar: entry.registrar,
    action: entry.action,
    by: entry.actor,
    request_id: entry.requestId,
    fields: fields.map((field) => fieldNames[subject]?.[field] ?? snakeCase(field)),
  };
}

/** The interfaces' names of the history's fields. All others are the same in snake case. */
const fieldNames: Record<string, Record<string, string | null>> = {
  auction: { name: 'domain' },
  contact: Object.fromEntries(
    Object.entries(contactFields).map(([column, { registrar }]) => [column, registrar]),
  ),
  domain: { admin: 'admin_contacts', tech: 'tech_contacts' },
};

export const internalContacts = newApp();

internalContacts.use(may('changes'));

internalContacts.get('/:code', async (c) => {
  const contact = await retry(() => getContactByCode(database(c), c.req.param('code')));
  return c.json({ contact: detailedRepresentation(contact), registrar: contact.registrar });
});
