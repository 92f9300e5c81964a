import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the clock is where the registry takes its time from', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { exclude: ['src/dev/sandbox/**'] });
  expect(sources).toContain('src/worker/http/app.ts');
  const others = sources.filter((file) => readFileSync(file, 'utf8').includes('new Date()'));
  expect(others).toEqual([]);
});
