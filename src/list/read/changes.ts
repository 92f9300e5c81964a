import type { Head } from '../format/head.ts';
import { differenceSince, type Steps } from '../format/steps.ts';
import { changesKey } from '../kv.ts';
import type { ListName } from '../lists.ts';
import { findSteps } from '../stored.ts';
import { memoryOf } from './memory.ts';
import { findHead, type Reader } from './parts.ts';

/** Undefined if the client's ETag is no longer kept. Costs at most two reads of KV. */
export async function readChanges(list: ListName, since: string, reader: Reader) {
  const recent = memoryOf(reader.kv).findFresh(list, reader.clock().getTime())?.head;
  const changes = recent && (await changesTo(recent, since, reader));
  if (changes) return changes;
  // Another isolate may have sent the client a newer list than this one has seen.
  const head = await findHead(list, reader, { isFresh: true });
  return head && changesTo(head, since, reader);
}

async function changesTo(head: Head, since: string, reader: Reader) {
  const current = head.etag;
  if (since === current) return { since, current, difference: { added: [], removed: [] } };
  const difference = differenceSince(await stepsOf(head, reader), since);
  return difference && { since, current, difference };
}

async function stepsOf(head: Head, reader: Reader): Promise<Steps> {
  const { lists } = memoryOf(reader.kv);
  const key = changesKey(head.list, head.publication);
  const hit = lists.find('steps', key);
  if (hit) return hit;
  reader.meter.kvReads += 1;
  const steps = await findSteps(reader.kv, head);
  // A character takes two bytes at most.
  if (steps) lists.keep('steps', key, steps, 2 * JSON.stringify(steps).length);
  return steps ?? [];
}
