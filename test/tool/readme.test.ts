import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { wordsOf } from './program.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const document = path.resolve('src/tool/README.md');

/** A file that the document shows, or commands with what they print. */
type Step = { file: string; content: string } | { command: string; output: string };

/** The steps of the section, in order. A file is named in the line before it. */
function stepsOf(section: string): Step[] {
  const blocks = section.matchAll(/([^\n]*)\n\n?```(csv|console)\n(.*?)```/gs);
  return [...blocks].flatMap(([, before = '', kind, text = '']): Step[] => {
    if (kind === 'csv') return [{ file: /`([\w-]+\.csv)`/.exec(before)![1]!, content: text }];
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...lines] = part.trimEnd().split('\n');
        return { command, output: lines.join('\n') };
      });
  });
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What a change says of its request, which the document leaves out. */
const request = /^request UUID(; take back: npm run registry -- .*)?$/m;

/** Without what differs from run to run. */
function stable(text: string): string {
  return text
    .replace(uuid, 'UUID')
    .replace(/\b[0-9a-f]{64}\b/g, 'SECRET')
    .replace(/W\/"[0-9a-f]+"/g, 'ETAG')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replace(/\b\d+ (s|min|h|d|ms)\b/g, 'AGE')
    .replace(/\d+ rows of \d+ tables/, 'ROWS')
    .replace(/by Operator \S+/g, 'by Operator')
    .replace(/ +/g, ' ')
    .trim();
}

test("runs the operator's day as it stands in the documentation", async () => {
  const [, day = ''] = (await readFile(document, 'utf8')).split(/^## A day$/m);
  const steps = stepsOf(day.split(/^## /m)[0]!);
  expect(steps.length).toBeGreaterThan(20);
  const registry = await tool.newRegistry();
  // As npm start does.
  await registry.done('lists publish');
  const directory = await tool.newDirectory();
  // Each UUID that the document shows, with the one that was printed in its place.
  const printed = new Map<string, string>();
  const before = process.cwd();
  process.chdir(directory);
  try {
    for (const step of steps) {
      if ('file' in step) {
        await writeFile(step.file, step.content);
        continue;
      }
      const command = step.command.replace(uuid, (shown) => printed.get(shown) ?? shown);
      const { stdout, stderr } = await registry.run(wordsOf(command));
      const shown = stable(stderr + stdout)
        .replace(request, '')
        .trim();
      expect(`${step.command}\n${shown}`).toBe(`${step.command}\n${stable(step.output)}`);
      const actual = stdout.match(uuid) ?? [];
      for (const [index, shown] of (step.output.match(uuid) ?? []).entries()) {
        printed.set(shown, actual[index]!);
      }
    }
  } finally {
    process.chdir(before);
  }
}, 120_000);
