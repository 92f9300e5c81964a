import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../bench/runtime.ts';

/** What the bundle of the sandbox contains, and that of a deployment must not. */
const traces = ['/sandbox', 'sandbox_clock', 'defer_foreign_keys', 'alpha-demo-secret'];

it.each([
  ['a deployment contains nothing', undefined, 'index.js', []],
  ['the sandbox contains all', 'src/cli/sandbox/worker.ts', 'worker.js', traces],
])('the bundle of %s of the sandbox', (_, entry, file, expected) => {
  const directory = build(entry);
  const bundle = readFileSync(join(directory, file), 'utf8');
  rmSync(directory, { recursive: true });
  expect(traces.filter((trace) => bundle.includes(trace))).toEqual(expected);
});
