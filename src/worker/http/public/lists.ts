import { hasTypes, type ListName, listPaths } from '../../../list/lists.ts';
import { readList } from '../../../list/read/whole-list.ts';
import { type AppContext, newApp } from '../request/context.ts';
import { isKnown, readerOf } from '../request/public-list.ts';
import { listAnswer, plainRequests } from './answer.ts';
import { answerAsOf } from './as-of.ts';
import { changes, changesPaths } from './changes.ts';
import { acceptsGzip } from './encoding.ts';
import { historyPath, lookupPath, namePath, names } from './names.ts';
import { requestedList } from './requested-list.ts';
import { log, logPaths } from './signed-log.ts';

/** Mounted at the root, because the table of lists contains whole paths. */
export const listRoutes = newApp();

for (const path of listPaths) {
  listRoutes.get(path, (c) => {
    c.set('knownParameters', hasTypes(path) ? ['as_of', 'type'] : ['as_of']);
    const list = requestedList(path, c.req.queries('type'));
    const days = c.req.queries('as_of');
    return days ? answerAsOf(c, list, days) : answerWithList(c, list);
  });
}

listRoutes.route('/', changes);
listRoutes.route('/', names);
listRoutes.route('/', log);

const readable = [...listPaths, ...changesPaths, namePath, historyPath, ...logPaths];

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

async function answerWithList(c: AppContext, list: ListName): Promise<Response> {
  const request = c.req.raw;
  const reader = readerOf(c);
  const read = await readList(list, reader, (etag) => isKnown(request, etag));
  if (read.body && request.method !== 'HEAD' && !acceptsGzip(request)) {
    await reader.charge(plainRequests(read));
  }
  return listAnswer(request, c.env, list, read);
}
