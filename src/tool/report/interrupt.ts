import { constants } from 'node:os';

type Handler = () => string | undefined;

/** Clean-up for Ctrl-C, outermost first. */
const handlers: Handler[] = [];

/**
 * Ends the process at Ctrl-C, at a request to terminate and when its terminal goes away, with the exit status that a shell
 * would give it: 130, 143 or 129.
 */
export function endAtInterrupt(): void {
  const end = (signal: NodeJS.Signals) => {
    const said = handlers.toReversed().map((handler) => handler());
    const words = ['interrupted', ...said.filter((sentence) => sentence !== undefined)].join('; ');
    // The terminal shows the line of a progress, or ^C.
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${words}\n`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Calls the handler before such an end, until disposed of. What it returns is printed. */
export function atInterrupt(handler: Handler): Disposable {
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
