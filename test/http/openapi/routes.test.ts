import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { app } from '../../../src/http/app.ts';
import { openApiDocument } from '../../../src/http/document.openapi.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'patch'];

/** `GET /path/{parameter}` of each route of the application. */
const routed = new Set(
  app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{.*?\})?/g, '{$1}')}`),
);

const documented = Object.entries(openApiDocument().paths ?? {}).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((key) => methods.includes(key))
    .map((method) => `${method.toUpperCase()} ${path}`),
);

/** The files that may import the descriptions: the descriptions themselves, and the build. */
const isDescription = (file: string) =>
  /\.openapi\.ts$|http\/openapi\/|build-assets\.ts$/.test(file);

it('the document is imported by nothing that the Worker bundles', () => {
  const importing = globSync('src/**/*.{ts,tsx}')
    .filter((file) => !isDescription(file))
    .filter((file) => /from '.*(\.openapi\.ts|\/openapi\/.*)'/.test(readFileSync(file, 'utf8')));
  expect(importing).toEqual([]);
});

it('the document describes every route of the application, and no other', () => {
  expect(documented.toSorted()).toEqual([...routed].sort());
});

it('the document gives each call an id of its own', () => {
  const { paths = {}, webhooks = {} } = openApiDocument();
  const ids = [paths, webhooks]
    .flatMap((items) => Object.values(items))
    .flatMap((item) => Object.values(item))
    .map(({ operationId }: { operationId: string }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});
