import cliProgress from 'cli-progress';
import { atInterrupt } from './interrupt.ts';

const secondsBetweenLines = 5;

/** Rows in one batch. While it runs the local server's clients wait, and the bar moves by it. */
const chunkRows = 1_000;

/**
 * The rows in chunks, each taken when the one before is done. Shows the progress of more than one chunk on standard
 * error: a bar on a terminal, otherwise a plain line every few seconds. Ctrl-C says how far it came.
 */
export function* inChunks<Row>(label: string, rows: readonly Row[]): Generator<Row[]> {
  const progress = rows.length > chunkRows ? startProgress(label, rows.length) : noProgress;
  let done = 0;
  using _ = atInterrupt(() => {
    progress.stop();
    return interruptedText(label, done, rows.length);
  });
  try {
    for (let from = 0; from < rows.length; from += chunkRows) {
      const chunk = rows.slice(from, from + chunkRows);
      yield chunk;
      done += chunk.length;
      progress.advance(chunk.length);
    }
  } finally {
    progress.stop();
  }
}

/** Labels of work that leaves everything as it was until its last step. */
const withoutEffect = ['checking', 'replacing'];

function interruptedText(label: string, done: number, total: number): string {
  const progress = `interrupted: ${label}, ${done} of ${total} rows done`;
  return withoutEffect.includes(label)
    ? `${progress}; nothing was changed. To start over, repeat the command.`
    : `${progress}, not published yet. To continue and publish, repeat the command: rows that are done are left as they are.`;
}

export interface Progress {
  /** Adds to the number of rows that are done. */
  advance(count: number): void;
  stop(): void;
}

const noProgress: Progress = { advance() {}, stop() {} };

/** Shows how far something has come, as `inChunks` does. */
export function startProgress(label: string, total: number): Progress {
  return (process.stderr.isTTY ? startBar : startLines)(label, total);
}

function startBar(label: string, total: number): Progress {
  const startedAt = performance.now();
  let done = 0;
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    hideCursor: true,
    format: '{label} {bar} {value}/{total}, {rate}/s, {eta_formatted}',
    // The rest takes some forty columns.
    barsize: Math.max(0, Math.min(40, (process.stderr.columns ?? 80) - 42)),
  });
  bar.start(total, 0, { label, rate: 0 });
  return {
    advance(count) {
      done += count;
      const rate = Math.round(done / ((performance.now() - startedAt) / 1000));
      bar.increment(count, { rate });
    },
    stop: () => bar.stop(),
  };
}

function startLines(label: string, total: number): Progress {
  const startedAt = performance.now();
  let done = 0;
  let shownAt = startedAt;
  return {
    advance(count) {
      done += count;
      const now = performance.now();
      if (now - shownAt < secondsBetweenLines * 1000) return;
      shownAt = now;
      const rate = done / ((now - startedAt) / 1000);
      const left = Math.ceil((total - done) / rate);
      console.error(`${label}: ${done} of ${total}, ${Math.round(rate)}/s, ${left} s left`);
    },
    stop() {},
  };
}
