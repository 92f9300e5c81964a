import { expect, test } from 'vitest';
import { startWorkerFrom } from '../../support/worker.ts';
import { everyNameDigest } from './every-name.ts';

const worker = startWorkerFrom('test/base/text/every-name-worker.ts');

test('the Worker takes the same names as the tool, of all characters', async () => {
  const response = await fetch(worker.url);
  expect(await response.json()).toBe(everyNameDigest());
});
