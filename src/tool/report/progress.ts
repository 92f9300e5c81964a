const secondsBetweenLines = 5;

/** The rows of one batch. The local server's clients wait for each. */
const chunkRows = 1_000;

export function* inChunks<Row>(
  label: string,
  rows: readonly Row[],
  size = chunkRows,
): Generator<Row[]> {
  using progress = startProgress(label, rows.length, rows.length > chunkRows);
  for (let start = 0; start < rows.length; start += size) {
    const chunk = rows.slice(start, start + size);
    yield chunk;
    progress.advance(chunk.length);
  }
}

/**
 * Shows the progress of a step on standard error until disposed of: on a terminal as one changing line, otherwise as a line every few seconds.
 */
export function startProgress(label: string, total: number, isShown = true) {
  const { isTTY } = process.stderr;
  const startedAt = performance.now();
  let [done, shownAt] = [0, startedAt];
  return {
    advance(count: number) {
      done += count;
      const now = performance.now();
      if (!isShown || (!isTTY && now - shownAt < secondsBetweenLines * 1000)) return;
      shownAt = now;
      const rate = done / ((now - startedAt) / 1000);
      const seconds = Math.ceil((total - done) / rate);
      const text = `${label}: ${done} of ${total}, ${Math.round(rate)}/s, ${seconds} s left`;
      process.stderr.write(isTTY ? `\r${text}\x1b[K` : `${text}\n`);
    },
    [Symbol.dispose]() {
      if (isTTY && shownAt > startedAt) process.stderr.write('\n');
    },
  };
}
