import cliProgress from 'cli-progress';

const secondsBetweenLines = 5;

/** Rows that go into one batch, far from its limits: what a bar moves by. */
const chunkRows = 5_000;

/**
 * The rows in chunks, each taken when the one before is done with. Shows how far that has come on standard error:
 * a bar on a terminal, a plain line every few seconds otherwise.
 */
export function* inChunks<Row>(label: string, rows: readonly Row[]): Generator<Row[]> {
  const progress = startProgress(label, rows.length);
  try {
    for (let from = 0; from < rows.length; from += chunkRows) {
      const chunk = rows.slice(from, from + chunkRows);
      yield chunk;
      progress.advance(chunk.length);
    }
  } finally {
    progress.stop();
  }
}

export interface Progress {
  /** So many more are done. */
  advance(count: number): void;
  stop(): void;
}

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
    format: '{label} {bar} {value} of {total}, {rate}/s, {eta_formatted} left',
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
