import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, inject, test } from 'vitest';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
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

/** The files with which each program begins. The tool also makes what is deployed with the Worker. */
const entries = {
  service: ['index.ts'],
  desk: ['desk/worker.ts'],
  tool: ['tool/index.ts', 'tool/main.ts', 'tool/deploy/index.ts', 'tool/build-assets.ts'],
  development: [
    ...['dev/start/index.ts', 'dev/start/dev-server.ts'],
    ...['dev/start/worker.ts', 'dev/start/desk-worker.ts', 'dev/sandbox/worker.ts'],
  ],
} as const;
type Program = keyof typeof entries;

/** The program that runs the files of a place, and those that must not. The first match counts. */
const places: [RegExp, Program, not: Program[]][] = [
  [/^dev\//, 'development', ['service', 'desk', 'tool']],
  [/^tool\/|(^|\/)openapi\/|\.openapi\.ts$/, 'tool', ['service', 'desk']],
  [/^desk\//, 'desk', ['service']],
  [/^(undo|view)\/|\/operator\//, 'tool', ['service']],
  [/./, 'service', []],
];
const placeOf = (path: string) => places.find(([pattern]) => pattern.test(path))!;
const isOfService = (path: string) => placeOf(path)[1] === 'service';

/** The files that a program loads, whatever it is asked to do. */
function filesOf(program: Program): Set<string> {
  const found = new Set<string>();
  const load = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const to of importsOf(sources.find((source) => source.path === path)!)) load(to);
  };
  entries[program].forEach(load);
  return found;
}

test('the place of each file says which program runs it', () => {
  const programs = Object.keys(entries) as Program[];
  const loaded = Object.fromEntries(programs.map((program) => [program, filesOf(program)]));
  const problems = sources.flatMap(({ path }) => {
    const [, program, not] = placeOf(path);
    return [
      ...(loaded[program]!.has(path) ? [] : [`${path} is not run by the ${program}`]),
      ...not.filter((other) => loaded[other]!.has(path)).map((other) => `${path}: ${other}`),
    ];
  });
  expect(problems).toEqual([]);
});

test.each(['service', 'desk'] as const)(
  'the %s loads only packages of the deployed code, and no Node module but one',
  (program) => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const files = filesOf(program);
    const imported = sources
      .filter(({ path }) => files.has(path))
      .flatMap(({ text }) => [
        ...text.matchAll(/^(?:import|export) (?!type)[^;]*?from '([^'.][^']*)'/gm),
        ...text.matchAll(/\bimport\('([^'.][^']*)'/g),
      ])
      .map(([, name]) => name!);
    const isDeployed = (name: string) =>
      Object.keys(dependencies).some((own) => `${name}/`.startsWith(`${own}/`));
    expect(new Set(imported.filter((name) => !isDeployed(name)))).toEqual(new Set(['node:zlib']));
  },
);

test('no two files export different things under one name', () => {
  const schema = 'drizzle/schema.ts';
  const exported = [...sources, { path: schema, text: readFileSync(schema, 'utf8') }].flatMap(
    ({ path, text }) =>
      [
        ...text.matchAll(/^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm),
      ].map(([, name]) => ({ name: name!, path })),
  );
  const files = Map.groupBy(exported, ({ name }) => name);
  const shared = [...files].filter(([, all]) => new Set(all.map(({ path }) => path)).size > 1);
  expect(shared.map(([name, all]) => [name, ...all.map(({ path }) => path)])).toEqual([]);
});

test.runIf(inject('isDeep'))(
  'the bundle of the Worker has nothing that only the tool runs, and all the rest',
  () => {
    const meta = JSON.parse(readFileSync(join(inject('bundle'), 'bundle-meta.json'), 'utf8'));
    const bundled = Object.keys(meta.inputs)
      .map((path) => /\bsrc\/(.*\.tsx?)$/.exec(path)?.[1])
      .filter((path) => path !== undefined);
    expect(bundled.filter((path) => !isOfService(path))).toEqual([]);
    const hasCode = ({ text }: (typeof sources)[number]) =>
      /^(export )?(async )?(function|const|class)/m.test(text);
    const others = sources
      .filter(
        (source) => hasCode(source) && isOfService(source.path) && !bundled.includes(source.path),
      )
      .map(({ path }) => path);
    expect(others).toEqual([]);
  },
);

test('what the service does not call lies in operator/, or in a room of another program', () => {
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
    .filter(({ path }) => isOfService(path) && !path.startsWith('worker/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?[(<])/gm)]
        .map(([, declared, assigned]) => declared ?? assigned)
        .map((name) => ({
          key: `${path}: ${name}`,
          uses: text.match(new RegExp(`\\b${name}\\b`, 'g'))!.length,
        }))
        .filter(
          ({ key, uses }) => uses === 1 && importers.get(key)?.every(({ by }) => !isOfService(by)),
        )
        .map(({ key }) => key),
    );
  // It sets a variable of its file, which another file could not.
  // One file compares persons.
  expect(onlyOfTool.sort()).toEqual([
    'base/time/clock.ts: setClockAhead',
    'contact/same-person.ts: isOfOnePerson',
    'contact/same-person.ts: isPerhapsSamePerson',
  ]);
});
