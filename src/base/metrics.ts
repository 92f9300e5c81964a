import type { Meter } from './database/meter.ts';
import type { Env } from './env.ts';

/**
 * Data points in Workers Analytics Engine. Queries name a column by its number, and the platform samples by the index.
 * No point has personal data.
 */

export interface RequestMetrics extends Meter {
  interface: string;
  method: string;
  route: string;
  status: number;
  registrar: string | null;
  system: string | null;
  build: string;
  durationMilliseconds: number;
}

/** `count` is above 1 for requests answered alike from memory. */
export function requestPoint(request: RequestMetrics, count = 1): AnalyticsEngineDataPoint {
  const { method, route, status, registrar, build, system } = request;
  const { durationMilliseconds, d1, rowsRead, kvReads } = request;
  return {
    indexes: [request.interface],
    blobs: [
      'request',
      request.interface,
      method,
      route,
      String(status),
      registrar ?? '',
      build,
      system ?? '',
    ],
    doubles: [durationMilliseconds, d1, rowsRead, kvReads, count],
  };
}

export function publicationPoint(
  list: string,
  outcome: 'published' | 'failed',
  durationMilliseconds: number,
): AnalyticsEngineDataPoint {
  return {
    indexes: ['publication'],
    blobs: ['publication', list, outcome],
    doubles: [durationMilliseconds],
  };
}

export function statePoint(
  ...state: [
    databaseBytes: number,
    deliveriesWaiting: number,
    /** 0 if none waits. */
    longestWaitMilliseconds: number,
    failedWorks: number,
    tookMilliseconds: number,
  ]
): AnalyticsEngineDataPoint {
  return { indexes: ['state'], blobs: ['state'], doubles: state };
}

/** Never throws. */
export function writePoint(
  { METRICS }: Pick<Env, 'METRICS'>,
  point: AnalyticsEngineDataPoint,
): void {
  try {
    METRICS?.writeDataPoint(point);
  } catch {
    // Only a chart lacks the point. The log has the request.
  }
}
