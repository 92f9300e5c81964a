import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const directory = mkdtempSync(path.join(tmpdir(), 'desk-bundle-'));
/** The code of each file in the bundle, by its path. */
let parts: [file: string, code: string][];
let imported: string[];

beforeAll(() => {
  const words = ['--env', 'production', '--dry-run', '--outdir', directory, '--metafile'];
  const args = ['deploy', '--config', 'src/desk/wrangler.toml', ...words, '--minify=false'];
  execFileSync('wrangler', args, { env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } });
  const bundle = readFileSync(path.join(directory, 'worker.js'), 'utf8');
  const [, ...pieces] = bundle.split(/^\/\/ (\S+\.[jt]sx?)$/m);
  parts = Array.from({ length: pieces.length / 2 }, (_, n) => [pieces[2 * n]!, pieces[2 * n + 1]!]);
  const meta = JSON.parse(readFileSync(path.join(directory, 'bundle-meta.json'), 'utf8'));
  const outputs = Object.values(meta.outputs) as { imports: { path: string }[] }[];
  imported = outputs.flatMap(({ imports }) => imports.map((one) => one.path));
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

const own = () => parts.filter(([file]) => !file.includes('node_modules'));

/** The ways in which a statement or a value of ours is written. */
const writing =
  /\b(db|database|DB)\.(insert|update|delete|run)\(|insertRows|\b(insert|replace) into\b|\bdelete from\b|\bupdate \S+ set\b|\.put\(/i;

test('the bundle of the desk writes nothing but the looks', () => {
  const code = own().map(([file, text]) => [file, text.split(/^async function recordLooks/m)[0]!]);
  expect(own().length).toBeGreaterThan(80);
  const found = code.flatMap(([file, text]) => {
    const [match] = writing.exec(text!.replace(/^var insertion = `[^`]*`/m, '')) ?? [];
    return match === undefined ? [] : [`${file}: ${match}`];
  });
  expect(found).toEqual([]);
});

test('the bundle of the desk has no command line, nothing of development, and no Node module', () => {
  const files = own().map(([file]) => file);
  expect(files.filter((file) => /(^|\/)(tool|dev|operator\/import)\//.test(file))).toEqual([]);
  expect(imported.filter((one) => !/^\.\/[0-9a-f]+-\w+\.(css|js|svg)$/.test(one))).toEqual([]);
});
