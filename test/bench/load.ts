import autocannon from 'autocannon';

/** What a round of load asks for, again and again. */
export interface Target {
  url: URL;
  headers?: Record<string, string>;
  /** The status of every answer; another one fails the run, which would measure something else. */
  status: 200 | 304;
}

interface Round {
  requestsPerSecond: number;
  bytesPerSecond: number;
}

const rounds = 7;
const roundSeconds = 1.5;
const warmUpSeconds = 1;
const connections = 20;

/**
 * Loads the targets in turn, round by round, so that whatever else the machine does meets all of them.
 * Returns each one's rate as a ratio to the first one's: the median over the rounds.
 */
export async function compare(
  targets: readonly Target[],
  rate: keyof Round = 'requestsPerSecond',
): Promise<number[]> {
  for (const target of targets) await load(target, warmUpSeconds);
  const ratios: number[][] = targets.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const rates: number[] = [];
    for (const target of targets) rates.push((await load(target, roundSeconds))[rate]);
    for (const [index, value] of rates.entries()) ratios[index]!.push(value / rates[0]!);
  }
  return ratios.map(median);
}

async function load({ url, headers, status }: Target, duration: number): Promise<Round> {
  const result = await autocannon({
    url: url.href,
    headers: { ...edgeHeaders, ...headers },
    connections,
    duration,
  });
  const { errors, timeouts, requests, throughput, statusCodeStats } = result;
  const answered = statusCodeStats?.[`${status}`]?.count ?? 0;
  const others = Object.keys(statusCodeStats ?? {}).filter((code) => code !== String(status));
  if (errors + timeouts > 0 || others.length > 0 || answered === 0) {
    throw new Error(
      `${url}: ${errors} errors, ${timeouts} timeouts, statuses ${others.join(', ')}`,
    );
  }
  return {
    requestsPerSecond: requests.total / result.duration,
    bytesPerSecond: throughput.total / result.duration,
  };
}

/** What the edge would have added: the peer's address, and `request.cf`. */
const edgeHeaders = {
  'CF-Connecting-IP': '127.0.0.1',
  'MF-CF-Blob': JSON.stringify({ clientAcceptEncoding: 'gzip' }),
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
