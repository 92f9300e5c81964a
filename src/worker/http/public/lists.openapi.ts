import * as z from 'zod';
import {
  feedPath,
  hasTypes,
  type ListPath,
  listNames,
  listPaths,
  publicLists,
  retainedList,
} from '../../../list/lists.ts';
import type { Call } from '../openapi/call.ts';
import { named, parameter } from '../openapi/describe.ts';
import { cached, publicCalls } from './interface.openapi.ts';

export const asciiName = z.string().describe('The name in ASCII.');
export const unicodeName = z.string().describe('The name in Unicode.');

export const listedStatus = z.enum(publicLists[retainedList].entries).meta({ id: 'ListedStatus' });

/**
 * The name in calls and components, the content, and the type of entries of each path. An undescribed path does not compile.
 */
const described: Record<ListPath, { name: string; what: string; entry: z.ZodType }> = {
  '/repp/v1/auctions': {
    name: 'Auctions',
    what: 'the names in auction',
    entry: named('NameInAuction', { domain_name: unicodeName, punycode_domain_name: asciiName }),
  },
  '/repp/v1/retained_domains': {
    name: 'RetainedDomains',
    what: 'the retained names',
    entry: named('RetainedName', {
      name: unicodeName,
      status: listedStatus,
      punycode_name: asciiName,
    }),
  },
};

const since = parameter(
  'Since',
  'The `ETag` of the list that the client holds, with or without `W/` and quotes.',
);

const asOf = z.iso
  .date()
  .optional()
  .meta({
    description:
      'A UTC day that is over: the list as it stood at its end, with the `ETag` of then. The answer never changes.',
    param: { id: 'AsOf' },
  });

function callsAt(path: ListPath): Record<string, Call> {
  const { name, what, entry } = described[path];
  const entries = z.array(entry);
  const lists = listNames.map((list) => publicLists[list]).filter((list) => list.path === path);

  const type = z
    .enum(lists.flatMap(({ type }) => type ?? []))
    .optional()
    .meta({ description: 'Limits the list to one status.', param: { id: 'Type' } });
  const query: z.ZodRawShape = hasTypes(path) ? { type } : {};
  return {
    [`GET ${path}`]: {
      operationId: `list${name}Publicly`,
      summary: `List ${what}`,
      description: hasTypes(path)
        ? 'Ordered by name, then status. A name with several statuses appears once for each.'
        : 'Ordered by name.',
      ...cached,
      query: z.object({ as_of: asOf, ...query }),
      success: 'The whole list.',
      answer: named(`Public${name}`, { count: z.int().nonnegative(), [lists[0]!.field]: entries }),
      refusals: ['invalid', 'not_found'],
    },
    [`GET ${path}.csv`]: {
      operationId: `download${name}`,
      summary: `List ${what} for a spreadsheet`,
      description:
        'The fields of the list as columns, in UTF-8 with a byte-order mark (RFC 4180). No value needs quotes or begins with `=`, `+`, `-` or `@`.',
      takes: cached.takes,
      headers: [...cached.headers, 'Content-Disposition'],
      query: z.object({ as_of: asOf, ...query }),
      success: 'The whole list. Its `ETag` is not that of the JSON.',
      answer: z.string(),
      type: 'text/csv',
      refusals: ['invalid', 'not_found'],
    },
    [`GET ${path}/changes`]: {
      operationId: `listChangesOf${name}`,
      summary: `List what changed of ${what}`,
      description:
        'Remove `removed` from the list that you hold and add `added`: that is the list whose `ETag` is `current`.',
      ...cached,
      query: z.object({ since, ...query }),
      success: 'What changed; both are empty if nothing did.',
      answer: named(`ChangesOf${name}`, {
        since: z.string(),
        current: z.string(),
        added: entries,
        removed: entries,
      }),
      refusals: ['invalid', 'missing', 'gone'],
    },
  };
}

const feed: Call = {
  operationId: 'readFeed',
  summary: 'Follow the names that come into auction',
  description:
    'For a feed reader (Atom, RFC 4287): the auctions that started in the last 30 days, at most 200, the newest first, ended ones too. An entry has the name as its title, a link to the page about it, the auction’s UUID as its id, `auction` or `ended` as its category, and a summary with the name in punycode and the time at which the auction began. Ids never change. A new auction may be a minute late.',
  ...cached,
  refusals: ['invalid'],
  success: 'The feed.',
  answer: z.string(),
  type: 'application/atom+xml',
};

export const publicListPaths = publicCalls(
  Object.assign({}, ...listPaths.map(callsAt), { [`GET ${feedPath}`]: feed }),
);
