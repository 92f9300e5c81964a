import type { Env } from '../base/env.ts';
import { currentTime } from '../base/time/clock.ts';
import type { Operation } from '../change/origin.ts';
import { listNames } from '../list/lists.ts';
import { type Alarm, type Findings, findAlarms, readFindings } from './alarm.ts';
import { plain, type Shown } from './columns.ts';
import { askService } from './service.ts';

/** A registry of which somebody asks whether it is well. */
export interface Watched extends Pick<Operation, 'db'> {
  env: Env;
  isDeployed: boolean;
  /** The address of the service, or why it is unknown. A local one need not run. */
  service: { address: string | undefined } | { unknown: string };
}

export async function readHealthState({ db, env, isDeployed, service: asked }: Watched) {
  const now = currentTime();
  // Starts the local runtime if necessary, since a check has little time.
  await env.LISTS.list({ limit: 1 }).catch(() => {});
  const findings = await readFindings(db, env, now, isDeployed);
  const { problem, ...service } = await askService('address' in asked ? asked.address : undefined);
  const message =
    'unknown' in asked ? `The /health of the service was not asked: ${asked.unknown}.` : problem;
  const alarms: Alarm[] = message === undefined ? [] : [{ alarm: 'failing', sentence: [message] }];
  return { findings, alarms: [...alarms, ...findAlarms(findings, now)], service };
}

export function listStates({ health }: Findings) {
  return listNames.map((list) => {
    const { published, isBehind = null } = health.lists[list];
    const { count = null, etag = null, publishedAt = null } = published ?? {};
    return { list, count, etag, publishedAt, isBehind };
  });
}

export const listStatesView: Shown<ReturnType<typeof listStates>[number]> = {
  name: 'lists',
  columns: plain('list', 'count', 'etag', 'publishedAt', 'isBehind'),
  table: 'list count published_at is_behind',
};
