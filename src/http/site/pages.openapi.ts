import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { headersOf, maybe } from '../openapi/headers.ts';
import { parametersOf } from '../openapi/parameters.ts';
import { type Language, languages } from './language.ts';
import { sorts, type View } from './view.ts';

const document = { 'text/html': { schema: z.string().meta({ id: 'Page' }) } };
const always = ['X-Request-Id', 'Cache-Control'] as const;

const text = (description: string) => z.string().optional().meta({ description });

const query = z.object({
  name: text('A name to answer about, in Unicode or punycode, in either case.'),
  auctions: text('Shows only the auctions whose names contain this.'),
  sort: z.enum(sorts).optional().meta({ description: 'The order of the auctions.' }),
  page: z.int().positive().optional().meta({ description: 'The page of auctions.' }),
  starts: text('Shows the retained names that begin with this.'),
  after: text('Shows the retained names that follow this one.'),
} satisfies Record<keyof View, z.ZodType>);

const refusals: ZodOpenApiOperationObject['responses'] = {
  405: {
    description: 'The path only has GET and HEAD.',
    headers: headersOf(...always, 'Allow'),
    content: document,
  },
  500: {
    description: 'The service failed. The page has the request id.',
    headers: headersOf(...always),
    content: document,
  },
};

const pageIn = (language: Language, name: string): ZodOpenApiOperationObject => ({
  operationId: `readPageIn${name}`,
  summary: `Read the page in ${name}`,
  tags: ['Pages'],
  security: [],
  requestParams: { query },
  parameters: parametersOf('If-None-Match'),
  responses: {
    200: {
      description: `The page, in ${name} (\`Content-Language: ${language}\`).`,
      headers: { ...headersOf(...always, 'Ignored-Parameters'), ...maybe('ETag', 'Vary') },
      content: document,
    },
    304: {
      description: 'The page has not changed.',
      headers: headersOf(...always, 'ETag', 'Vary', 'Ignored-Parameters'),
    },
    400: {
      description: 'The page, with what is wrong with `name`.',
      headers: headersOf(...always),
      content: document,
    },
    503: {
      description: 'The page, without the answer about `name`: the lists cannot be read.',
      headers: headersOf(...always),
      content: document,
    },
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
      tags: ['Pages'],
      security: [],
      requestParams: { query },
      responses: {
        302: {
          description: 'The page, with the same query.',
          headers: {
            ...headersOf(...always, 'Vary', 'Ignored-Parameters'),
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
