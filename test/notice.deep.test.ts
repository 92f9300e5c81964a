import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, it } from 'vitest';

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The packages that code of the bundle comes from. */
function packagesInBundle(): string[] {
  const file = path.join(inject('bundle'), 'bundle-meta.json');
  const { outputs } = JSON.parse(readFileSync(file, 'utf8')) as Metafile;
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const names = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

const rule = '-'.repeat(80);

/** The same texts elsewhere, for packages that are published without them. */
const textsElsewhere: Record<string, string> = {
  '@hono/zod-validator': 'hono/LICENSE',
  'drizzle-orm': 'swagger-ui-dist/LICENSE',
};

/** A package with its licence and the text of it. Throws an Error if no text is known. */
function licenceOf(name: string): string {
  const directory = path.join('node_modules', name);
  const file = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  const place = file ? `${name}/${file}` : textsElsewhere[name];
  if (place === undefined) throw new Error(`${name} has no text of its licence`);
  const text = readFileSync(path.join('node_modules', place), 'utf8').replace(/^\s*\n|\s+$/g, '');
  const license = licenseIn(name);
  // The package that the text is taken from must be under the same licence.
  expect(licenseIn(/^(?:@[^/]+\/)?[^/]+/.exec(place)![0])).toBe(license);
  return `${rule}\n${name} (${license})\n\n${text.replaceAll('\r\n', '\n')}\n`;
}

const licenseIn = (name: string): string =>
  JSON.parse(readFileSync(path.join('node_modules', name, 'package.json'), 'utf8')).license;

/** Without versions, which are in package-lock.json: an update matters here if it brings another licence. */
function notice(): string {
  const names = packagesInBundle();
  return [
    'Registry Edge contains software of others. The Worker is bundled with code from',
    `${names.join(', ')}.`,
    `Beside it, /docs/ serves swagger-ui-dist (${licenseIn('swagger-ui-dist')}) with its licences and notices.\n`,
    ...names.map(licenceOf),
  ].join('\n');
}

it('names every package in the bundle with its licence in NOTICE (RECORD_NOTICE=yes writes it)', () => {
  const expected = notice();
  if (process.env.RECORD_NOTICE) writeFileSync('NOTICE', expected);
  expect(readFileSync('NOTICE', 'utf8')).toBe(expected);
});

it.each([
  ['LICENSE', 'swagger-ui-license.txt'],
  ['NOTICE', 'swagger-ui-notice.txt'],
  ['swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui-bundle.js.LICENSE.txt'],
])('serves %s of swagger-ui-dist below /docs/', (file, served) => {
  expect(readFileSync(`.wrangler/assets/docs/${served}`, 'utf8')).toBe(
    readFileSync(`node_modules/swagger-ui-dist/${file}`, 'utf8'),
  );
});
