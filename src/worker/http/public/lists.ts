import { RegistryError } from '../../../base/error.ts';
import { dayOf, isDay } from '../../../base/time/day.ts';
import { bodyKey } from '../../../list/archive/body.ts';
import { findArchivedDays, readDay } from '../../../list/archive/day.ts';
import { tagPattern } from '../../../list/format/head.ts';
import {
  feedPath,
  findList,
  hasTypes,
  type ListName,
  type ListPath,
  listNames,
  listPaths,
  publicLists,
} from '../../../list/lists.ts';
import { readChanges } from '../../../list/read/changes.ts';
import { type ReadList, readList } from '../../../list/read/whole-list.ts';
import { type AppContext, newApp } from '../request/context.ts';
import { parameterOf } from '../request/input.ts';
import { isKnown, readerOf } from '../request/public-list.ts';
import {
  acceptsGzip,
  csvAnswer,
  csvTag,
  immutable,
  listAnswer,
  plainRequests,
  textAnswer,
} from './answer.ts';
import { feed } from './feed.ts';
import { historyPath, lookupPath, namePath, names } from './names.ts';

/** Mounted at the root: the table of lists has whole paths. */
export const listRoutes = newApp();

for (const path of listPaths) {
  const types = hasTypes(path) ? ['type'] : [];
  listRoutes.get(path, (c) => {
    c.set('knownParameters', ['as_of', ...types]);
    const list = requestedList(c, path);
    const day = requestedDay(c);
    return day === undefined ? answerWithList(c, list) : answerAsOf(c, list, day);
  });
  listRoutes.get(`${path}.csv`, (c) => {
    c.set('knownParameters', ['as_of', ...types]);
    const list = requestedList(c, path);
    const day = requestedDay(c);
    return day === undefined ? answerWithCsv(c, list) : answerAsOf(c, list, day, { isCsv: true });
  });
  listRoutes.get(`${path}/changes`, (c) => {
    c.set('knownParameters', ['since', ...types]);
    return answerWithChanges(c, requestedList(c, path));
  });
}

listRoutes.route('/', names);
listRoutes.route('/', feed);

const pathsOfLists = listPaths.flatMap((path) => [path, `${path}.csv`, `${path}/changes`]);
const readable = [...pathsOfLists, namePath, historyPath, feedPath];

listRoutes.options(lookupPath, (c) => c.body(null, 204, preflightHeaders(c, 'POST, OPTIONS')));

listRoutes.on('OPTIONS', readable, (c) =>
  c.body(null, 204, preflightHeaders(c, 'GET, HEAD, OPTIONS')),
);

function preflightHeaders(c: AppContext, methods: string): Record<string, string> {
  return {
    Allow: methods,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': c.req.header('Access-Control-Request-Headers') ?? '*',
    'Access-Control-Max-Age': '86400',
  };
}

/** Throws `invalid` for an unknown or repeated `type`. A path with only one list has no `type`. */
function requestedList(c: AppContext, path: ListPath): ListName {
  const list = findList(path, hasTypes(path) ? parameterOf(c, 'type') : undefined);
  if (list) return list;
  const expected = listNames.flatMap((each) => publicLists[each].type ?? []).join(', ');
  const problem = {
    reason: 'invalid',
    message: 'is not included in the list',
    field: 'type',
  } as const;
  throw new RegistryError([{ ...problem, detail: `Expected: one of ${expected}.` }]);
}

async function answerWithList(c: AppContext, list: ListName): Promise<Response> {
  const request = c.req.raw;
  const reader = readerOf(c);
  const read = await readList(list, reader, (etag) => isKnown(request, etag));
  if (read.body && request.method !== 'HEAD' && !acceptsGzip(request)) {
    await reader.countAs(plainRequests(read));
  }
  return listAnswer(request, c.env, list, read);
}

/** The CSV comes from where the list does: the database is read only if KV lacks the list or fails. */
async function answerWithCsv(c: AppContext, list: ListName): Promise<Response> {
  const request = c.req.raw;
  const reader = readerOf(c);
  const read = await readList(list, reader, (etag) => isKnown(request, csvTag(etag)));
  if (read.body && request.method !== 'HEAD') await reader.countAs(plainRequests(read));
  return csvAnswer(request, c.env, list, read, dayOf(c.var.now));
}

async function answerWithChanges(c: AppContext, list: ListName): Promise<Response> {
  if (c.req.query('as_of') !== undefined) {
    throw new RegistryError('invalid', 'cannot be combined with since', 'as_of');
  }
  const read = await readChanges(list, requestedTag(parameterOf(c, 'since')), readerOf(c));
  if (!read) {
    throw new RegistryError('gone', 'is no longer available; fetch the whole list', 'since');
  }
  const { since, current, difference } = read;
  const [added, removed] = [difference.added.join(','), difference.removed.join(',')];
  const tags = `"since":${JSON.stringify(since)},"current":${JSON.stringify(current)}`;
  const text = `{${tags},"added":[${added}],"removed":[${removed}]}`;
  return textAnswer(c.req.raw, c.env, [list], { etag: current, text });
}

/** The tag of `since`. `W/` and the quotes are optional. Throws `missing`, and `invalid` for what no list has had as its `ETag`. */
function requestedTag(since: string | undefined): string {
  const refuse = (reason: 'missing' | 'invalid', message: string) =>
    new RegistryError([{ reason, message, field: 'since', detail: expectedTag }]);
  if (!since) throw refuse('missing', 'parameter is required');
  const tag = since.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
  if (!tagPattern.test(tag)) throw refuse('invalid', 'is not the ETag of a list');
  return `W/"${tag}"`;
}

const expectedTag = 'Expected: the ETag of the list that you hold.';

/** Decompressing so much text counts as one request, as for the list of today. */
const plainTextBytes = 150_000;

async function answerAsOf(
  c: AppContext,
  list: ListName,
  day: string,
  { isCsv = false } = {},
): Promise<Response> {
  const request = c.req.raw;
  const bucket = c.env.ARCHIVE;
  const archived = await (bucket && readDay(bucket, list, day));
  if (!archived || 'missing' in archived) throw await notArchived(c, list);
  const etag = `W/"${archived.etag}"`;
  const answerWith = (body: ReadList['body'], bytes = 0) => {
    const read = { etag, body, bytes };
    return neverChanging(
      isCsv ? csvAnswer(request, c.env, list, read, day) : listAnswer(request, c.env, list, read),
    );
  };
  if (isKnown(request, isCsv ? csvTag(etag) : etag)) return answerWith(undefined);
  if (request.method !== 'HEAD' && (isCsv || !acceptsGzip(request))) {
    await readerOf(c).countAs(Math.ceil(archived.bytes / plainTextBytes));
  }
  const object = await bucket!.get(bodyKey(archived));
  if (!object) throw await notArchived(c, list);
  return answerWith(object.body, object.size);
}

/** Undefined for today. Throws `invalid` unless it is one past day, without `since`. */
function requestedDay(c: AppContext): string | undefined {
  const refuse = (message: string) => new RegistryError('invalid', message, 'as_of');
  const day = parameterOf(c, 'as_of');
  if (day === undefined) return undefined;
  if (c.req.query('since') !== undefined) throw refuse('cannot be combined with since');
  if (!isDay(day)) throw refuse('is not a day (YYYY-MM-DD)');
  if (day >= dayOf(c.var.now)) throw refuse('is not over yet (UTC)');
  return day;
}

async function notArchived(c: AppContext, list: ListName): Promise<RegistryError> {
  const days = c.env.ARCHIVE && (await findArchivedDays(c.env.ARCHIVE, list));
  const known = days ? `, which begins on ${days.first} and ends on ${days.last}` : '';
  return new RegistryError('not_found', `is not in the archive${known}`, 'as_of');
}

function neverChanging(answer: Response): Response {
  answer.headers.set('Cache-Control', immutable);
  // Every publication would purge a response with this tag.
  answer.headers.delete('Cache-Tag');
  // The changes since a past day are soon gone.
  answer.headers.delete('Link');
  return answer;
}
