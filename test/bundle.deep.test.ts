import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from './bench/runtime.ts';

/** The bundle of the sandbox contains these. The bundle of a deployment must not. */
const traces = ['/sandbox', 'sandbox_clock', 'defer_foreign_keys'];

/** The demo data is loaded from outside. */
const demoSecret = 'alpha-demo-secret';

/** A message of zod in another language: `import { z }` would bring all of them, `import * as z` brings none. */
const translated = 'Ongeldige invoer';

/** `import { Hono } from 'hono'` would bring this router, which does not support our paths. */
const router = 'RegExpRouter';

/** A part of zod that only the documents need. */
const jsonSchema = 'json-schema.org';

function bundleOf(entry?: string): string {
  const directory = build(entry);
  const bundle = readFileSync(join(directory, entry ? 'worker.js' : 'index.js'), 'utf8');
  rmSync(directory, { recursive: true });
  return bundle;
}

it('the bundle of a deployment contains nothing of the sandbox, of the languages of zod or of parts that are not used', () => {
  const bundle = bundleOf();
  expect(
    [...traces, demoSecret, router, translated, jsonSchema].filter((trace) =>
      bundle.includes(trace),
    ),
  ).toEqual([]);
});

it('the bundle of the sandbox contains all that a deployment must not', () => {
  const bundle = bundleOf('src/dev/sandbox/worker.ts');
  expect(traces.filter((trace) => bundle.includes(trace))).toEqual(traces);
});
