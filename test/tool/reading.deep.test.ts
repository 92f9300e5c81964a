import { expect, test } from 'vitest';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

const tool = startTool();

test('reads the same from the files as through the runtime', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('retained add õ.ee a.ee --status reserved');
  await registry.done('auction start kohv.ee');
  for (const words of [
    'registrar list',
    'retained list',
    'auction list',
    'history',
    'lists status',
  ]) {
    const args = [...words.split(' '), '--json'];
    // The runtime of the writes above is kept, and serves this one as well.
    const through = await registry.run(args);
    const from = await captured(() => runProgram([...args, '--persist-to', registry.directory]));
    const withoutAge = (text: string) => text.replace(/"age_seconds":\d+/g, '');
    expect({ words, ...from, stdout: withoutAge(from.stdout) }).toEqual({
      words,
      ...through,
      stdout: withoutAge(through.stdout),
    });
    expect(from.status).toBe(0);
  }
});
