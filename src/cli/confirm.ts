import { createInterface } from 'node:readline/promises';
import { RegistryError } from '../error.ts';

/** Where a question is asked and answered. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/**
 * Asks the operator to confirm the statement. Throws `invalid` if the answer is not yes, and if there is no terminal to
 * ask on; then `otherwise` says what to do.
 */
export async function confirm(
  statement: string,
  otherwise: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!input.isTTY) {
    throw new RegistryError('invalid', `${statement} There is no terminal to ask on; ${otherwise}`);
  }
  using asking = createInterface({ input, output });
  const answer = await asking.question(`${statement} Continue? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new RegistryError('invalid', 'not confirmed');
}
