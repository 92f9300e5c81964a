import * as z from 'zod/mini';
import { contactFields } from '../../contact/fields.ts';
import { shownField } from '../../history/changes.ts';
import {
  beginning,
  type FollowedChange,
  findNewestPlace,
  type HistoryPlace,
  listChangesAfter,
} from '../../history/follow.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { database } from '../context.ts';
import { newApp } from '../hono.ts';
import { query } from '../input.ts';
import { wholeNumber } from '../paging.ts';
import { may } from './login.ts';

export const internalChanges = newApp();

internalChanges.use(may('changes'));

const placePattern = /^(\d{1,15})\.([0-9a-f]{16})?$/;

export const changesQuery = onFirstUse(() =>
  z.object({
    limit: z._default(wholeNumber('Limit', 0, 200), 200),
    after: z.optional(
      z.pipe(
        z.pipe(
          // A place that was given needs no other character of base64.
          z.string().check(z.regex(/^([A-Za-z\d]{4})*([A-Za-z\d]{2,3})?$/, 'After is invalid')),
          z.transform((text) => atob(text)),
        ),
        z.string().check(z.regex(placePattern, 'After is invalid')),
      ),
    ),
  }),
);

const expected = {
  limit: 'a whole number from 0 to 200',
  after: 'the value from an earlier answer',
};

internalChanges.get('/', query(changesQuery, expected), async (c) => {
  const { limit, after } = c.req.valid('query');
  const db = database(c);
  if (limit === 0) {
    return c.json({ changes: [], after: textOf(await findNewestPlace(db)), more: false });
  }
  const page = await listChangesAfter(db, placeIn(after), limit);
  return c.json({ ...page, changes: page.changes.map(shownChange), after: textOf(page.after) });
});

function placeIn(after: string | undefined): HistoryPlace {
  if (after === undefined) return beginning;
  const [, id, digest = ''] = placePattern.exec(after)!;
  return { id: Number(id), digest };
}

/** Opaque to clients. None of these characters needs `+`, `/` or an escape. */
function textOf({ id, digest }: HistoryPlace): string {
  return btoa(`${id}.${digest}`).replace(/=+$/, '');
}

function shownChange({ subject, fields, ...entry }: FollowedChange) {
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
    fields: fields.map((field) =>
      subject === 'contact' ? contactField(field) : shownField(field),
    ),
  };
}

/** As registrars know the field, if they do. */
function contactField(column: string): string {
  const field = contactFields[column as keyof typeof contactFields];
  return field?.registrar ?? shownField(column);
}
