import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const sampleMilliseconds = 500;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes of heap and buffers that are in use after a collection. */
function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Bytes that the work holds at most, beyond what was in use before. It is looked at in this process, whose event loop
 * turns meanwhile, which workerd's does not while the database is in the same process.
 */
export async function peakBytes(work: () => Promise<unknown>): Promise<number> {
  const before = liveBytes();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, liveBytes());
  }, sampleMilliseconds);
  try {
    await work();
  } finally {
    clearInterval(sampler);
  }
  return peak - before;
}
