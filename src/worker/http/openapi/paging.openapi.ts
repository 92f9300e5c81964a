import { boundedPageQuery, pageQuery } from '../request/paging.ts';
import { describe } from './describe.ts';

describe(pageQuery().shape, {
  limit: { description: 'How many elements the page has at most.', param: { id: 'Limit' } },
  offset: {
    description: 'How many elements to skip; 0 if it is left out.',
    param: { id: 'Offset' },
  },
  after: {
    description:
      'The place where the previous page ended: opaque, and taken from its `Link`. Excludes `offset`.',
    param: { id: 'After' },
    // The value is opaque, and Swagger UI fails on the format base64url.
    override: { format: undefined, contentEncoding: undefined, pattern: undefined },
  },
});
describe(boundedPageQuery().shape, {
  offset: {
    description:
      'How many elements to skip; 0 if it is left out. What lies beyond, the links lead to.',
    param: { id: 'BoundedOffset' },
  },
});

export { boundedPageQuery, pageQuery } from '../request/paging.ts';
