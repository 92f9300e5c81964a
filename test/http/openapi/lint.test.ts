import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/document.openapi.ts';

/** Rules that make no sense here, and why. */
const switchedOff = {
  // `check/{code}` and `{code}/history` could both mean `check/history`: the first one does, and no code is "check", which has no colon.
  'no-ambiguous-paths': 'off',
} as const;

/** `/` has no 2xx: it only redirects. */
const isRedirect = (rule: string, pointer?: string) =>
  rule === 'operation-2xx-response' && pointer === '#/paths/~1/get/responses';

it('finds nothing to say about the document', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: switchedOff });

  const problems = await lintFromString({
    source: JSON.stringify(openApiDocument()),
    absoluteRef: 'openapi.json',
    config,
  });

  expect(
    problems
      .map(({ ruleId, message, location: [first] }) => [ruleId, first?.pointer, message] as const)
      .filter(([rule, pointer]) => !isRedirect(rule, pointer)),
  ).toEqual([]);
});
