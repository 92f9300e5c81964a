import { constants } from 'node:os';
import { standingReport } from './standing.ts';

/** They undo things and say so when the command is told to end; the innermost comes last. */
const handlers: (() => string | undefined)[] = [];

/**
 * Ends the process at Ctrl-C, at a request to terminate and when its terminal goes away, after the terminal is as it was
 * and the operator knows what was done; the status is a shell's: 130, 143 or 129. The state is the process's: it has one
 * keyboard.
 */
export function endAtInterrupt(): void {
  const end = (signal: NodeJS.Signals) => {
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
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Has the handler called before such an end, until it is disposed of; what it returns is printed. */
export function atInterrupt(handler: () => string | undefined): Disposable {
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
