import { constants } from 'node:os';
import { unfinishedReport } from './command-progress.ts';

/** Clean-up and messages for Ctrl-C, outermost first. */
const handlers: (() => string | undefined)[] = [];

/**
 * Ends the process at Ctrl-C, at a request to terminate and when its terminal goes away. Before that, it restores the
 * terminal and tells the operator what was done. The exit status is a shell's: 130, 143 or 129.
 */
export function endAtInterrupt(): void {
  const end = (signal: NodeJS.Signals) => {
    const messages = handlers.toReversed().flatMap((handler) => handler() ?? []);
    const unfinished = unfinishedReport();
    if (unfinished || messages.length === 0) {
      messages.push(`interrupted; ${unfinished?.text ?? 'nothing was changed'}`);
    }
    const message = messages.join('\n');
    // The terminal shows the line of a progress, or ^C.
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${message}\n`);
    if (process.argv.includes('--json')) {
      const errors = [{ reason: 'interrupted', message }];
      process.stdout.write(`${JSON.stringify({ errors, ...unfinished?.data })}\n`);
    }
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Calls the handler before such an end, until disposed of, and prints what it returns. */
export function atInterrupt(handler: () => string | undefined): Disposable {
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
