import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// `links.test.ts` sees to it that each file which a walk links exists.

const numbers = 'one two three four five six seven eight nine ten eleven twelve thirteen'.split(
  ' ',
);

interface Walk {
  title: string;
  text: string;
}

/** The walks of a page: the headings below "… walks", each with its text. */
function walksOf(page: string): Walk[] {
  const [, chapter = ''] = page.split(/^## \w+ walks$/m);
  const [, ...walks] = chapter.split(/^## /m)[0]!.split(/^### /m);
  return walks.map((walk) => {
    const [title = '', ...lines] = walk.split('\n');
    return { title, text: lines.join('\n') };
  });
}

/** The files that a walk links, each with the text up to the next link of the same step. */
function linksOf(text: string, folder = 'src'): { file: string; about: string }[] {
  const steps = text.split(/^(?=\d+\. |$)/m);
  const links = steps.flatMap((step) => step.split(/(?=\]\([^)#]+\))/).slice(1));
  return links.map((link) => {
    const [, target, about] = /^\]\(([^)]+)\)(.*)$/s.exec(link)!;
    return { file: join(folder, target!), about: about! };
  });
}

/** The functions that a text names: words in code that are nothing but a name. */
function functionsIn(text: string): string[] {
  return Array.from(text.matchAll(/`([a-z][A-Za-z0-9]*)`/g), ([, name]) => name!);
}

/** Whether the file declares the name as a function, a constant or a method. */
function declares(file: string, name: string): boolean {
  const declaration = new RegExp(
    `(?:function\\*?|const) ${name}\\b|^ *(?:async )?${name}(?:\\(.*\\)(?:: .*)? \\{$|: .*=>)`,
    'm',
  );
  return declaration.test(readFileSync(file, 'utf8'));
}

/** The functions of a walk that are not in the file linked before them, and a promised number of files that is not theirs. */
function problemsOf(text: string, folder = 'src'): string[] {
  const links = linksOf(text, folder);
  const elsewhere = links.flatMap(({ file, about }) =>
    functionsIn(about)
      .filter((name) => !declares(file, name))
      .map((name) => `${name} is not in ${file}`),
  );
  const after = new Set(links.flatMap(({ about }) => functionsIn(about)));
  const unlinked = functionsIn(text).filter((name) => !after.has(name));
  const files = new Set(links.map(({ file }) => file)).size;
  const [, promised] = /(\w+) files\b/.exec(text) ?? [];
  const isKept = !promised || [0, files].includes(numbers.indexOf(promised.toLowerCase()) + 1);
  return [
    ...elsewhere,
    ...unlinked.map((name) => `${name} is in no file`),
    ...(isKept ? [] : [`it links ${files} files`]),
  ];
}

const page = readFileSync('src/README.md', 'utf8');
const walks = walksOf(page);

test('the page has as many walks as its heading promises', () => {
  const [, promised] = /^## (\w+) walks$/m.exec(page)!;
  expect(numbers[walks.length - 1]).toBe(promised!.toLowerCase());
});

test.each(walks)('the walk "$title" names functions of the files that it links', ({ text }) => {
  expect(linksOf(text)).not.toEqual([]);
  expect(problemsOf(text)).toEqual([]);
});

test.each(['change', 'party', 'contact', 'name', 'list'])(
  'the door of %s names functions of the files that it links',
  (room) => {
    const text = readFileSync(`src/${room}/README.md`, 'utf8').replaceAll(/^- /gm, '1. ');
    expect(problemsOf(text, `src/${room}`)).toEqual([]);
  },
);

const [error, settings] = ['[error.ts](base/error.ts)', '[settings.ts](worker/settings.ts)'];

test.each([
  [`1. ${error}, \`orRefusal\`; ${settings}, \`settings\``, []],
  [`Two files:\n\n1. ${settings}, \`settings\`\n2. ${error}`, []],
  [`Two files:\n\n1. ${settings}, \`settings\`\n2. ${settings}`, ['it links 1 files']],
  [`1. ${error}, ${settings}, \`orRefusal\``, ['orRefusal is not in src/worker/settings.ts']],
  [`1. ${settings}\n2. \`settings\` is called`, ['settings is in no file']],
])('finds what is wrong with the walk %j', (text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
