import { Agent, get } from 'node:http';
import autocannon from 'autocannon';

/** The request that a round of load sends again and again. */
export interface Target {
  url: URL;
  headers?: Record<string, string>;
  /** The status of every answer; another one fails the run, which would measure something else. */
  status: 200 | 304;
  /** Whether a body is so large that reading it would keep autocannon, which parses in JavaScript, busier than workerd. */
  isLarge?: boolean;
}

interface Round {
  requestsPerSecond: number;
  bytesPerSecond: number;
}

const rounds = 7;
const roundSeconds = 1.5;
const warmUpSeconds = 1;
const connections = 20;
const largeConnections = 8;

/**
 * Loads the targets in turn, round by round, so that whatever else the machine does meets all of them.
 * Returns each one's rate as a ratio to the first one's: the median over the rounds.
 */
export async function compare(
  targets: readonly Target[],
  { rate = 'requestsPerSecond' }: { rate?: keyof Round } = {},
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

function load(target: Target, seconds: number): Promise<Round> {
  return target.isLarge ? loadLarge(target, seconds) : loadSmall(target, seconds);
}

async function loadSmall(target: Target, seconds: number): Promise<Round> {
  const { url, headers, status } = target;
  const result = await autocannon({
    url: url.href,
    headers: { ...edgeHeaders, ...headers },
    connections,
    duration: seconds,
    timeout: 60,
  });
  const { errors, timeouts, requests, throughput, statusCodeStats, duration } = result;
  const others = Object.keys(statusCodeStats ?? {}).filter((code) => code !== String(status));
  if (errors + timeouts > 0 || others.length > 0 || requests.total === 0) {
    throw new Error(
      `${url}: ${errors} errors, ${timeouts} timeouts, statuses ${others.join(', ')}`,
    );
  }
  return {
    requestsPerSecond: requests.total / duration,
    bytesPerSecond: throughput.total / duration,
  };
}

/** Asks over a few connections, again as soon as there is an answer, through Node's own parser. */
async function loadLarge({ url, headers, status }: Target, seconds: number): Promise<Round> {
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  let requests = 0;
  let bytes = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(url.href, { agent, headers: { ...edgeHeaders, ...headers } }, (response) => {
        if (response.statusCode !== status) reject(new Error(`${url}: ${response.statusCode}`));
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', resolve);
      }).on('error', reject);
    });
  const client = async () => {
    while (elapsedSeconds() < seconds) {
      await ask();
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: largeConnections }, client));
  const duration = elapsedSeconds();
  agent.destroy();
  return { requestsPerSecond: requests / duration, bytesPerSecond: bytes / duration };
}

/** The additions of the edge: the peer's address, and `request.cf`. */
export const edgeHeaders = {
  'CF-Connecting-IP': '127.0.0.1',
  'MF-CF-Blob': JSON.stringify({ clientAcceptEncoding: 'gzip' }),
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
