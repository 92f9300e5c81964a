import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  everyAnswer,
  everyNotModified,
  type HeaderName,
  headersOf,
  maybe,
  parametersOf,
} from '../openapi/headers.ts';
import { type Language, languages } from '../request/language.ts';
import { sorts, type View } from './view.ts';

const document = { 'text/html': { schema: z.string().meta({ id: 'Page' }) } };

const text = (description: string) => z.string().optional().meta({ description });

const query = z.object({
  name: text('A name to answer about, in Unicode or punycode, in either case.'),
  as_of: text('Also says what the name was at the end of this day, in UTC: `YYYY-MM-DD`.'),
  auctions: text('Shows only the auctions whose names contain this.'),
  sort: z.enum(sorts).optional().meta({
    description: 'The order of the auctions. The length is that of the name without its ending.',
  }),
  page: z.int().positive().optional().meta({ description: 'The page of auctions.' }),
  starts: text('Shows the retained names that begin with this.'),
  after: text('Shows the retained names that follow this one.'),
} satisfies Record<keyof View, z.ZodType>);

const page = (description: string, ...headers: HeaderName[]) => ({
  description,
  headers: headersOf(...everyAnswer, 'Content-Language', ...headers),
  content: document,
});

const refusals = {
  405: page('The path only has GET and HEAD.', 'Allow'),
  429: page('Too many requests from the address.', 'Retry-After'),
  500: page('The service failed. The page has the request id.'),
};

const common = { tags: ['Pages'], security: [], requestParams: { query } };

const pageIn = (language: Language, name: string): ZodOpenApiOperationObject => ({
  operationId: `readPageIn${name}`,
  summary: `Read the page in ${name}`,
  ...common,
  parameters: parametersOf('If-None-Match'),
  responses: {
    200: {
      description: `The page, in ${name} (\`Content-Language: ${language}\`).`,
      headers: {
        ...headersOf(...everyAnswer, 'Ignored-Parameters', 'Content-Language'),
        ...maybe('ETag', 'Vary', 'Cache-Tag'),
      },
      content: document,
    },
    304: {
      description: 'The page has not changed.',
      headers: headersOf(...everyNotModified, 'ETag', 'Vary', 'Cache-Tag', 'Ignored-Parameters'),
    },
    400: page('The page, with what is wrong with `name` or `as_of`.'),
    503: page('The page, without the answer about `name`: the lists cannot be read.'),
    ...refusals,
  },
});

const names: Record<Language, string> = { et: 'Estonian', en: 'English' };

export const pagePaths: ZodOpenApiPathsObject = {
  '/': {
    get: {
      operationId: 'findPage',
      summary: 'Go to the page in the preferred language',
      description: 'English if `Accept-Language` prefers it to Estonian; Estonian otherwise.',
      ...common,
      responses: {
        302: {
          description: 'The page, with the same query.',
          headers: {
            ...headersOf(...everyAnswer, 'Vary', 'Ignored-Parameters'),
            Location: {
              required: true,
              schema: { type: 'string', pattern: `^/(${languages.join('|')})/($|\\?)` },
            },
          },
        },
        ...refusals,
      },
    },
  },
  ...Object.fromEntries(
    languages.map((language) => [`/${language}`, { get: pageIn(language, names[language]) }]),
  ),
};
