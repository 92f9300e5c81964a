import type { ActorType } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { IdempotencyKey } from './outcome.ts';

export interface Actor {
  type: ActorType;
  /** Readers of the history see it: a name or a username, never an identity code. */
  name: string;
  /** Absent if the actor's requests have no idempotency keys. */
  keyHolder?: string | undefined;
}

export const scheduledRun: Actor = { type: 'cron', name: 'Scheduled run' };

export interface WriteRequest {
  at: Date;
  /** A request or command writes each subject at most once. */
  requestId: string;
  clientReference?: string | undefined;
  /** Judges a version by `If-Match` and `If-None-Match`; if absent, any may be written to. */
  isExpected?: ((version: string) => boolean) | undefined;
  /** Makes the write take effect once, however often the request is sent. */
  key?: IdempotencyKey | undefined;
}

export interface Origin {
  actor: Actor;
  request: WriteRequest;
}

/** A change to be made: where, by whom, in which request or command, and whether it is only tried. */
export interface Operation {
  db: Database;
  origin: Origin;
  /** Checks the change and counts what it would do, but writes nothing. */
  isDryRun?: boolean | undefined;
}
