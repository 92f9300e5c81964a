import { expect, it } from 'vitest';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { documentProblem, sectionOf, textOf } from './document.ts';

const worker = shareEmptyWorker({});

it('says of an empty registry that there is nothing to show', async () => {
  const response = await worker.fetch('/en/');
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(documentProblem(html)).toBeUndefined();
  expect(textOf(sectionOf(html, 'auctions'))).toContain('There are no auctions in progress.');
  expect(textOf(sectionOf(html, 'retained'))).toContain('No names are retained.');
  expect(textOf(sectionOf(html, 'year'))).toContain('There are no figures to show.');
});

it('answers about a name before anything was published', async () => {
  const html = await (await worker.fetch('/en/?name=free.ee')).text();
  expect(textOf(html)).toContain('free.ee is on none of the lists');
});
