import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

const tool = startTool();

test('reads the same from the files as through the runtime', async () => {
  const registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  await registry.done(['retained', 'add', 'õ.ee', 'a.ee', '--status', 'reserved']);
  await registry.done(['auction', 'start', 'kohv.ee']);
  for (const words of [
    'registrar list',
    'retained list',
    'auction list',
    'history',
    'lists status',
  ]) {
    const args = [...words.split(' '), '--json'];
    // The session of the writes above is still open, and serves this one as well.
    const through = await registry.run(args);
    await using fresh = new Session();
    const from = await captured(() =>
      runProgram([...args, '--persist-to', registry.directory], fresh),
    );
    const withoutAge = (text: string) => text.replace(/"age_seconds":\d+/g, '');
    expect({ words, ...from, stdout: withoutAge(from.stdout) }).toEqual({
      words,
      ...through,
      stdout: withoutAge(through.stdout),
    });
    expect(from.status).toBe(0);
  }
});
