import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, inject, test } from 'vitest';

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

const isOfTool = (path: string) => /^tool\/|(^|\/)(operator|openapi)\/|\.openapi\.ts$/.test(path);

test.runIf(inject('isDeep'))(
  'the bundle of the Worker has nothing that only the tool runs, and all the rest',
  () => {
    const meta = JSON.parse(readFileSync(join(inject('bundle'), 'bundle-meta.json'), 'utf8'));
    const bundled = Object.keys(meta.inputs)
      .map((path) => /\bsrc\/(.*\.tsx?)$/.exec(path)?.[1])
      .filter((path) => path !== undefined);
    expect(bundled.filter(isOfTool)).toEqual([]);
    const hasCode = ({ text }: (typeof sources)[number]) =>
      /^(export )?(async )?(function|const|class)/m.test(text);
    const others = sources
      .filter(
        (source) => hasCode(source) && !isOfTool(source.path) && !bundled.includes(source.path),
      )
      .map(({ path }) => path);
    expect(others).toEqual([]);
  },
);

test('what only the tool calls lies in tool/ or operator/', () => {
  const imported = sources.flatMap((source) =>
    [...source.text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(
      ([, names, to]) =>
        names!.split(',').map((name) => ({
          name: name.trim().replace(/^type /, ''),
          of: normalize(join(source.path, '..', to!)),
          by: source.path,
        })),
    ),
  );
  const importers = Map.groupBy(imported, ({ name, of }) => `${of}: ${name}`);
  const onlyOfTool = sources
    .filter(({ path }) => !isOfTool(path) && !path.startsWith('worker/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?[(<])/gm)]
        .map(([, declared, assigned]) => declared ?? assigned)
        .map((name) => ({
          key: `${path}: ${name}`,
          uses: text.match(new RegExp(`\\b${name}\\b`, 'g'))!.length,
        }))
        .filter(
          ({ key, uses }) => uses === 1 && importers.get(key)?.every(({ by }) => isOfTool(by)),
        )
        .map(({ key }) => key),
    );
  // It sets a variable of its file, which another file could not.
  expect(onlyOfTool).toEqual(['base/time/clock.ts: setClockAhead']);
});
