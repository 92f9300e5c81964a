import { RegistryError } from '../../../base/error.ts';
import { dayOf, isDay } from '../../../base/time/day.ts';
import { bodyKey } from '../../../list/archive/body.ts';
import { findArchived, findArchivedDays } from '../../../list/archive/catalogue.ts';
import type { ListName } from '../../../list/lists.ts';
import { type AppContext, database } from '../request/context.ts';
import { isKnown, readerOf } from '../request/public-list.ts';
import { immutable, listAnswer } from './answer.ts';
import { acceptsGzip } from './encoding.ts';

/** Decompressing so much text counts as one request, as for the list of today. */
const plainTextBytes = 150_000;

export async function answerAsOf(
  c: AppContext,
  list: ListName,
  days: readonly string[],
): Promise<Response> {
  const day = requestedDay(c, days);
  const request = c.req.raw;
  const bucket = c.env.ARCHIVE;
  const archived = bucket && (await findArchived(database(c), bucket, list, day));
  if (!archived) throw await notArchived(c, list);
  const etag = `W/"${archived.etag}"`;
  const read = { etag, body: undefined, bytes: 0 };
  if (isKnown(request, etag)) return neverChanging(listAnswer(request, c.env, list, read));
  if (request.method !== 'HEAD' && !acceptsGzip(request)) {
    await readerOf(c).charge(Math.ceil(archived.bytes / plainTextBytes));
  }
  const object = await bucket.get(bodyKey({ list, etag }));
  if (!object) throw await notArchived(c, list);
  const { body, size: bytes } = object;
  return neverChanging(listAnswer(request, c.env, list, { etag, body, bytes }));
}

/** Throws `invalid` unless it is one day that is over, without `since`. */
function requestedDay(c: AppContext, days: readonly string[]): string {
  const refuse = (message: string) => new RegistryError('invalid', message, 'as_of');
  const [day = ''] = days;
  if (c.req.query('since') !== undefined) throw refuse('cannot be combined with since');
  if (days.length > 1 || !isDay(day)) throw refuse('is not a day (YYYY-MM-DD)');
  if (day >= dayOf(c.var.now)) throw refuse('is not over yet (UTC)');
  return day;
}

async function notArchived(c: AppContext, list: ListName): Promise<RegistryError> {
  const days = c.env.ARCHIVE && (await findArchivedDays(database(c), list));
  const known = days ? `, which begins on ${days.first} and ends on ${days.last}` : '';
  return new RegistryError('not_found', `is not in the archive${known}`, 'as_of');
}

function neverChanging(answer: Response): Response {
  answer.headers.set('Cache-Control', immutable);
  // Every publication would purge an answer with this tag.
  answer.headers.delete('Cache-Tag');
  return answer;
}
