import { constants } from 'node:os';

type Handler = () => string | undefined;

/** Clean-up for Ctrl-C, outermost first. */
const handlers: Handler[] = [];

/**
 * Ends the process at SIGINT, SIGTERM and SIGHUP with a shell's exit status: 130, 143 or 129.
 */
export function endAtInterrupt(): void {
  const end = (signal: NodeJS.Signals) => {
    const sentences = handlers.toReversed().map((handler) => handler());
    const words = ['interrupted', ...sentences.filter((sentence) => sentence !== undefined)].join(
      '; ',
    );
    // The current line of a terminal may show progress or ^C.
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${words}\n`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Calls the handler before such an end, until disposed of, and prints its result. */
export function atInterrupt(handler: Handler): Disposable {
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
