import { constants } from 'node:os';

type Sentence = string | undefined;
type Handler = () => Sentence | Promise<Sentence>;

/** Clean-up for Ctrl-C, outermost first. */
const handlers: Handler[] = [];

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let isOwner = false;
let isEnding = false;

export const isInterrupted = () => isEnding;

/**
 * Ends the process at SIGINT, SIGTERM and SIGHUP with a shell's exit status: 130, 143 or 129.
 */
export function endAtInterrupt(): void {
  isOwner = true;
  for (const signal of signals) process.on(signal, interrupt);
}

function interrupt(signal: NodeJS.Signals): void {
  // The terminal and npm both send it.
  if (isEnding) return;
  isEnding = true;
  const sentences = handlers.toReversed().map((handler) => handler());
  // At once, if no handler has to wait.
  if (sentences.every((one): one is Sentence => !(one instanceof Promise))) end(signal, sentences);
  else Promise.all(sentences).then((settled) => end(signal, settled));
}

function end(signal: NodeJS.Signals, sentences: readonly Sentence[]): void {
  const words = ['interrupted', ...sentences.filter((sentence) => sentence !== undefined)];
  // The current line of a terminal may show progress or ^C.
  process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${words.join('; ')}\n`);
  process.exit(128 + constants.signals[signal]);
}

/** Calls the handler before such an end, until disposed of, and prints its result. A promise must end within seconds. */
export function atInterrupt(handler: Handler): Disposable {
  // Miniflare listens too, and exits at once. It also cleans up at the exit itself.
  for (const signal of isOwner ? signals : []) {
    process.removeAllListeners(signal);
    process.on(signal, interrupt);
  }
  handlers.push(handler);
  return {
    [Symbol.dispose]() {
      handlers.splice(handlers.indexOf(handler), 1);
    },
  };
}
