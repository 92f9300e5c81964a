import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { prepareLocalData } from '../../src/dev/start/data.ts';
import { makeEmpty } from '../../src/tool/nouns/backup/copy.ts';
import { loadProgram } from '../../src/tool/program.ts';
import { everyCommand, helpOf, isVerb, wordsOf } from './program.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry();
const command = 'npm run registry -- restore registry.sqlite --persist-to data';
const refusal = `a restore of this database was not finished, and nothing can use it; restore again: ${command}`;

beforeAll(async () => {
  const { env, dispose } = await registry.open();
  await makeEmpty(env.DB, { command, input: '', before: '{}' });
  await dispose();
});

/** The words of the first example in the help of each verb that works on a registry. */
async function everyExample(): Promise<string[][]> {
  const verbs = everyCommand(await loadProgram()).filter(isVerb);
  const examples = verbs.map(([, verb]) =>
    wordsOf(/Examples?:\n +(.*)/.exec(helpOf(verb))![1]!.replace(/ (<.*|--json)/, '')),
  );
  const others = ['backup verify', 'restore', 'move-in', 'reconcile'];
  return examples.filter((words) => !others.some((other) => words.join(' ').startsWith(other)));
}

test('every command refuses a database whose restore was not finished, and says how to go on', async () => {
  const examples = await everyExample();
  const files = await tool.newDirectory();
  const inputs: Record<string, string> = {
    retained: 'src/dev/demo/retained.csv',
    auction: await registry.file('auctions.csv', 'name\na.ee\n'),
  };
  for (const words of examples) {
    const [noun, verb] = words;
    const args = words.map((word) => {
      if (!/\.(csv|sqlite)$/.test(word)) return word;
      return verb === 'import'
        ? (inputs[noun!] ?? `src/dev/demo/${noun}s.csv`)
        : path.join(files, word);
    });
    const { status, stdout, stderr } = await registry.run(args);
    expect({ words, status, stdout, stderr }).toEqual({
      words,
      status: 1,
      stdout: '',
      stderr: `refused: ${refusal}\n`,
    });
    for (const arg of args.filter((arg) => arg.startsWith(files)))
      expect(existsSync(arg)).toBe(false);
  }
  expect(examples.length).toBeGreaterThan(40);
});

test('npm start refuses such a database', async () => {
  const { env, dispose } = await registry.open();
  await expect(prepareLocalData(env, { isDemoWanted: true })).rejects.toThrow(refusal);
  await dispose();
});
