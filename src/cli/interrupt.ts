import { standingReport } from './standing.ts';

/** They undo things and say so when the operator presses Ctrl-C; the innermost comes last. */
const handlers: (() => string | undefined)[] = [];

/**
 * Ends the process with status 130 at Ctrl-C, after the terminal is as it was and the operator knows what was done. The
 * state is the process's: it has one keyboard.
 */
export function endAtInterrupt(): void {
  process.once('SIGINT', () => {
    const messages = handlers.toReversed().flatMap((handler) => handler() ?? []);
    const standing = standingReport();
    if (standing || messages.length === 0) {
      messages.push(`interrupted; ${standing?.text ?? 'nothing was changed'}`);
    }
    const message = messages.join('\n');
    process.stderr.write(`${message}\n`);
    if (process.argv.includes('--json')) {
      const errors = [{ reason: 'interrupted', message }];
      process.stdout.write(`${JSON.stringify({ errors, ...standing?.data })}\n`);
    }
    process.exit(130);
  });
}

/** Has the handler called at Ctrl-C until it is disposed of; what it returns is printed. */
export function atInterrupt(handler: () => string | undefined): Disposable {
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
