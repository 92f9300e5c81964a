import type { ActorType } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { IdempotencyKey } from './outcome.ts';

export interface Actor {
  type: ActorType;
  /** Shown in the history: a name or a username, never an identity code. */
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
  /** Compares a version with `If-Match` and `If-None-Match`; absent if any version will do. */
  isExpected?: ((version: string) => boolean) | undefined;
  /** The write takes effect once, however often the request is sent. */
  key?: IdempotencyKey | undefined;
}

export interface Origin {
  actor: Actor;
  request: WriteRequest;
}

export interface Operation {
  db: Database;
  origin: Origin;
  /** Checks the change and counts its effects, but writes nothing. */
  isDryRun?: boolean | undefined;
}
