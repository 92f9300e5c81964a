import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  hasTypes,
  type ListPath,
  listNames,
  listPaths,
  publicLists,
  retainedList,
} from '../../public-list/lists.ts';
import { cachedCall, preflight } from './interface.openapi.ts';

export const asciiName = z.string().meta({ description: 'The name in ASCII.' });
export const unicodeName = z.string().meta({ description: 'The name in Unicode.' });

/** Every status that a name can be listed with. */
export const listedStatus = z.enum(publicLists[retainedList].entries).meta({ id: 'ListedStatus' });

/** The description of the lists of a path. */
interface Described {
  /** Its calls and components are named by it. */
  name: string;
  /** The content of the lists, in a few words. */
  what: string;
  entry: z.ZodType;
}

/** By the path, so that a new one does not compile until it is described. */
export const described: Record<ListPath, Described> = {
  '/repp/v1/auctions': {
    name: 'Auctions',
    what: 'the names in auction',
    entry: z
      .object({ domain_name: unicodeName, punycode_domain_name: asciiName })
      .meta({ id: 'NameInAuction' }),
  },
  '/repp/v1/retained_domains': {
    name: 'RetainedDomains',
    what: 'the retained names',
    entry: z
      .object({ name: unicodeName, status: listedStatus, punycode_name: asciiName })
      .meta({ id: 'RetainedName' }),
  },
};

const listsOf = (path: ListPath) =>
  listNames.map((list) => publicLists[list]).filter((list) => list.path === path);

/** The parameter that selects one of the lists of a path, where there are several. */
function typeQuery(path: ListPath): z.ZodRawShape {
  if (!hasTypes(path)) return {};
  const types = listsOf(path).flatMap(({ type }) => type ?? []);
  const type = z.enum(types).optional();
  return {
    type: type.meta({ description: 'Limits the list to one status.', param: { id: 'Type' } }),
  };
}

const typeQueries = Object.fromEntries(listPaths.map((path) => [path, typeQuery(path)]));

/** The query of a call about a list of the path. */
export function queryOf(path: ListPath, others: z.ZodRawShape = {}): z.ZodObject {
  return z.object({ ...others, ...typeQueries[path] });
}

const asOf = z.iso
  .date()
  .optional()
  .meta({
    description:
      'A UTC day that is over: the list as it stood at its end, with the `ETag` of then. The answer never changes.',
    param: { id: 'AsOf' },
  });

function listAt(path: ListPath) {
  const { name, what, entry } = described[path];
  const [{ field }] = listsOf(path) as [(typeof publicLists)['all']];
  return {
    get: cachedCall({
      operationId: `list${name}Publicly`,
      summary: `List ${what}`,
      description:
        'Ordered by name, then status. A name with several statuses appears once for each.',
      query: queryOf(path, { as_of: asOf }),
      success: {
        description: 'The whole list.',
        schema: z
          .object({ [field]: z.array(entry), count: z.int().nonnegative() })
          .meta({ id: `Public${name}` }),
      },
      refusals: ['invalid', 'not_found'],
    }),
    options: preflight(`preflightList${name}Publicly`),
  };
}

export const listPathItems: ZodOpenApiPathsObject = Object.fromEntries(
  listPaths.map((path) => [path, listAt(path)]),
);
