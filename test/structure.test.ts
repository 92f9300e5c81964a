import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }));

/** The files of src that a file imports, types included. */
function importsOf({ path, text }: (typeof sources)[number]): string[] {
  return [...text.matchAll(/\b(?:from|import)[\s(]*'(\.[^']+\.tsx?)'/g)]
    .map(([, to]) => normalize(join(path, '..', to!)))
    .filter((to) => sources.some((source) => source.path === to));
}

/** For each folder, its entries and which other entries of it they import. */
function entriesByFolder(): Map<string, Map<string, Set<string>>> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const source of sources) {
    const from = source.path.split('/');
    for (const imported of importsOf(source)) {
      const to = imported.split('/');
      const depth = from.findIndex((part, index) => part !== to[index]);
      if (depth === -1) continue;
      const folder = ['src', ...from.slice(0, depth)].join('/');
      const entries = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, entries);
      entries.set(from[depth]!, (entries.get(from[depth]!) ?? new Set()).add(to[depth]!));
    }
  }
  return folders;
}

/** The entries that import each other, directly or through others. */
function circlesOf(entries: Map<string, Set<string>>): string[] {
  const reachable = (from: string, found = new Set<string>()): Set<string> => {
    for (const to of entries.get(from) ?? []) {
      if (!found.has(to)) reachable(to, found.add(to));
    }
    return found;
  };
  return [...entries.keys()].filter((entry) => reachable(entry).has(entry)).sort();
}

test('no rooms, and no files in a room, import each other in a circle', () => {
  const circles = [...entriesByFolder()].flatMap(([folder, entries]) =>
    circlesOf(entries).map((entry) => `${folder}/${entry}`),
  );
  expect(circles).toEqual([]);
});

test('no two files export the same name', () => {
  const exported =
    /^export (?:default )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
  const all = sources.flatMap(({ path, text }) =>
    [...text.matchAll(exported)].map(([, name]) => ({ name: name!, path })),
  );
  const twice = [...Map.groupBy(all, ({ name }) => name)]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(', ')}`);
  expect(twice.sort()).toEqual([]);
});

/** What the whole Worker shares and no room owns. A new file belongs in a room, or needs a reason to stand here. */
const rootFiles = [
  'address-list.ts',
  'cron.ts',
  'env.ts',
  'error.ts',
  'index.ts',
  'log.ts',
  'metrics.ts',
  'on-first-use.ts',
  'outcome.ts',
  'settings.ts',
  'version.ts',
  'write.ts',
];

test('the root of src has only the files that no room owns', () => {
  const files = sources.map(({ path }) => path).filter((path) => !path.includes('/'));
  expect(files.sort()).toEqual(rootFiles);
});
