import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const documents = globSync(['*.md', '{src,test,drizzle,migrations}/**/*.md'], {
  exclude: (name) => name === 'node_modules',
});

/** The text without code, in which a bracket is no link and a # no heading. */
function prose(file: string): string {
  const text = readFileSync(file, 'utf8').replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, '');
  return text.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** The targets of links and images, `[text](target)` and `[name]: target`. */
function targets(file: string): string[] {
  const text = prose(file);
  const inline = text.matchAll(/\]\(<?([^\s)>]+)>?(?: +"[^"]*")?\)/g);
  const definitions = text.matchAll(/^ {0,3}\[[^\]]+\]: *<?([^\s>]+)/gm);
  return [...inline, ...definitions].map(([, target]) => target as string);
}

/** The anchors that GitHub gives to the headings. */
function anchors(file: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading] of prose(file).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const words = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const base = words.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');
    let anchor = base;
    for (let count = 1; found.has(anchor); count++) anchor = `${base}-${count}`;
    found.add(anchor);
  }
  return found;
}

function problemOf(file: string, target: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [relative = '', anchor] = target.split('#').map(decodeURIComponent);
  const linked = relative === '' ? file : path.join(path.dirname(file), relative);
  if (linked.startsWith('..')) return `${target} leads out of the repository`;
  if (!existsSync(linked)) return `${target}: there is no ${linked}`;
  if (anchor === undefined || !/\.md$/.test(linked) || statSync(linked).isDirectory()) return;
  return anchors(linked).has(anchor) ? undefined : `${target}: ${linked} has no such heading`;
}

test('there are documents', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'src/worker/http/README.md']));
});

test.each(documents)('%s links to files and headings that exist', (file) => {
  expect(targets(file).flatMap((target) => problemOf(file, target) ?? [])).toEqual([]);
});

test.each([
  ['README.md', 'src/nowhere.ts', 'src/nowhere.ts: there is no src/nowhere.ts'],
  ['README.md', '#nowhere', '#nowhere: README.md has no such heading'],
  ['src/worker/http/README.md', '../../../../x', '../../../../x leads out of the repository'],
  ['src/worker/http/README.md', '../../../README.md', undefined],
  ['README.md', 'https://example.ee/', undefined],
])('tells of the link of %s to %s', (file, target, problem) => {
  expect(problemOf(file, target)).toBe(problem);
});

test.each([...documents, 'wrangler.toml'])('lines of %s have at most 120 characters', (file) => {
  const lines = readFileSync(file, 'utf8')
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, '')
    .split('\n')
    // A table and a single long word cannot be wrapped.
    .filter((line) => !/^ *(\||\S+$)/.test(line));
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test('every command that creates something which holds data binds it to the European Union', () => {
  const commands = documents.flatMap(
    (file) =>
      readFileSync(file, 'utf8').match(/wrangler (d1|queues|r2 bucket) create [^`\n]*/g) ?? [],
  );
  expect(commands).not.toEqual([]);
  for (const command of commands) expect(command).toContain('--jurisdiction eu');
});

test('every test that is named as the proof of a promise exists', () => {
  const named = readFileSync('SECURITY.md', 'utf8').match(/(?<=`)[\w./-]+\.test\.ts(?=`)/g) ?? [];
  expect(named.filter((file) => !existsSync(path.join('test', file)))).toEqual([]);
});

test('every file that a comment or a document names by its path exists', () => {
  const sources = globSync('{src,drizzle,.ci}/**/*.{ts,tsx,mjs,toml}');
  const named = [...documents, ...sources, 'wrangler.toml'].flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const paths = text.matchAll(
      /(?<![\w./-])(?:src|test|drizzle|migrations)\/[\w./-]*\.[a-z]{2,4}\b/g,
    );
    return Array.from(paths, ([name]) => `${file}: ${name}`);
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !existsSync(name.split(': ')[1]!))).toEqual([]);
});
