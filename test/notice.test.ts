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

/** A package with its licence, and the text of the licence where the package has one. */
function licenceOf(name: string): string {
  const directory = path.join('node_modules', name);
  const { license, homepage } = JSON.parse(
    readFileSync(path.join(directory, 'package.json'), 'utf8'),
  );
  const file = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  const text = file
    ? readFileSync(path.join(directory, file), 'utf8').trim()
    : `The package has no file with the text of its licence; see ${homepage}.`;
  return `${rule}\n${name} (${license})\n\n${text.replaceAll('\r\n', '\n')}\n`;
}

/** Without versions, which are in package-lock.json: an update matters here if it brings another licence. */
function notice(): string {
  const names = packagesInBundle();
  return [
    'Registry Edge contains software of others. The Worker is bundled with code from',
    `${names.join(', ')}.`,
    'Beside it, /docs/ serves swagger-ui-dist (Apache-2.0) with its licences and notices.\n',
    ...names.map(licenceOf),
  ].join('\n');
}

it('names every package in the bundle with its licence in NOTICE (RECORD_NOTICE=yes writes it)', () => {
  const expected = notice();
  if (process.env.RECORD_NOTICE) writeFileSync('NOTICE', expected);
  expect(readFileSync('NOTICE', 'utf8')).toBe(expected);
});
