import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { type ListPath, listPaths } from '../../public-list/lists.ts';
import { cachedCall, preflight } from './interface.openapi.ts';
import { described, queryOf } from './lists.openapi.ts';

const since = z.string().meta({
  description: 'The `ETag` of the list that the client holds, with or without `W/` and quotes.',
  param: { id: 'Since' },
});

function changesAt(path: ListPath) {
  const { name, what, entry } = described[path];
  const entries = z.array(entry);
  return {
    get: cachedCall({
      operationId: `listChangesOf${name}`,
      summary: `List what changed of ${what}`,
      description:
        'Remove `removed` from the list that you hold and add `added`: that is the list whose `ETag` is `current`.',
      query: queryOf(path, { since }),
      success: {
        description: 'What changed; both are empty if nothing did.',
        schema: z
          .object({ since: z.string(), current: z.string(), added: entries, removed: entries })
          .meta({ id: `ChangesOf${name}` }),
      },
      refusals: ['invalid', 'missing', 'gone'],
    }),
    options: preflight(`preflightListChangesOf${name}`),
  };
}

export const changesPathItems: ZodOpenApiPathsObject = Object.fromEntries(
  listPaths.map((path) => [`${path}/changes`, changesAt(path)]),
);
