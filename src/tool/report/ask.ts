import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { type Lines, printable } from '../../view/text.ts';

interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

export const ownTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr });

export async function isAgreed(question: Lines, terminal = ownTerminal()): Promise<boolean> {
  const answer = await ask(`${printable(question)} [y/N] `, terminal);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** Asks on a terminal. Undefined if the input ends (Ctrl-D). Ctrl-C interrupts the command. */
async function ask(question: string, { input, output }: Terminal): Promise<string | undefined> {
  using asking = createInterface({ input, output });
  // On a terminal, readline catches Ctrl-C.
  asking.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answer = await new Promise<string | undefined>((resolve) => {
    asking.on('close', () => resolve(undefined));
    asking.question(question, resolve);
  });
  if (answer === undefined) output.write('\n');
  return answer;
}

/**
 * Reads a secret from standard input, or from a terminal; empty if there is none. Arguments would be visible to other users of the machine.
 */
export async function readSecret(
  isOnStdin: boolean | undefined,
  question: string,
): Promise<string> {
  if (!isOnStdin) return askSecret(question);
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

/** Empty without an answer or a terminal. */
export async function askSecret(
  question: string,
  { input, output } = ownTerminal(),
): Promise<string> {
  if (!input.isTTY) return '';
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  output.write(printable(question));
  const secret = await ask('', { input, output: Object.assign(silent, { isTTY: true }) });
  output.write('\n');
  return secret ?? '';
}
