import cliProgress from 'cli-progress';
import { addWork } from './command-progress.ts';
import { atInterrupt } from './interrupt.ts';

const secondsBetweenLines = 5;

/** The rows of one batch. While it runs, the local server's clients wait; then the bar moves. */
const chunkRows = 1_000;

/** Rows that can be read chunk by chunk, more than once. */
export interface Rows<Row> {
  readonly length: number;
  chunks(rows: number): Iterable<Row[]>;
}

/**
 * Yields the rows in chunks. Shows the progress of more than one chunk on standard error: as a bar on a terminal, otherwise
 * as a line every few seconds.
 */
export function* inChunks<Row>(label: string, rows: Rows<Row> | readonly Row[]): Generator<Row[]> {
  const progress = startProgress(label, rows.length, rows.length > chunkRows);
  try {
    for (const chunk of 'chunks' in rows ? rows.chunks(chunkRows) : chunksOf(rows)) {
      yield chunk;
      progress.advance(chunk.length);
    }
  } finally {
    progress.stop();
  }
}

function* chunksOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += chunkRows) {
    yield rows.slice(from, from + chunkRows);
  }
}

export type Progress = ReturnType<typeof startProgress>;

/** Records the progress of a step, and shows it as `inChunks` does. */
export function startProgress(label: string, total: number, isShown = true) {
  const step = addWork(label, total);
  const shown = isShown ? (process.stderr.isTTY ? startBar : startLines)(label, total) : undefined;
  const interrupt = atInterrupt(() => {
    shown?.stop();
    return undefined;
  });
  return {
    advance(count: number) {
      step.done += count;
      shown?.advance(count);
    },
    stop() {
      interrupt[Symbol.dispose]();
      shown?.stop();
    },
  };
}

function startBar(label: string, total: number) {
  const startedAt = performance.now();
  let done = 0;
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    hideCursor: true,
    format: '{label} {bar} {value}/{total}, {rate}/s, {eta_formatted}',
    // The text beside the bar takes some forty columns.
    barsize: Math.max(0, Math.min(40, (process.stderr.columns ?? 80) - 42)),
  });
  bar.start(total, 0, { label, rate: 0 });
  return {
    advance(count: number) {
      done += count;
      const rate = Math.round(done / ((performance.now() - startedAt) / 1000));
      bar.increment(count, { rate });
    },
    stop: () => bar.stop(),
  };
}

function startLines(label: string, total: number) {
  const startedAt = performance.now();
  let done = 0;
  let shownAt = startedAt;
  return {
    advance(count: number) {
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
