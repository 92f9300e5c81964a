import { randomHex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { dayOf, startOfDay } from '../../base/time/day.ts';
import type { Block } from '../format/block.ts';
import { compressJson } from '../format/gzip.ts';
import { bodyBytes, createHead, type Head, type Published } from '../format/head.ts';
import { addStep, compareBlocks, type Difference } from '../format/steps.ts';
import { blockKey, changesKey, putConstant, retryKv, StaleError } from '../kv.ts';
import type { ListName } from '../lists.ts';
import { findSteps, findStoredHead, type Publication, putDayStart } from '../stored.ts';
import {
  announcePublication,
  type PublicationRecord,
  recordPublication,
  recordUnchanged,
} from './record.ts';
import { readSnapshot, type Snapshot, type Source } from './source.ts';
import { blockWriter, updateBlocks } from './update.ts';

export interface PublishContext {
  db: Database;
  kv: KVNamespace;
  clock: () => Date;
}

export interface Round extends PublishContext {
  /** Throws a StaleError if it is too late to record or to put anything. */
  expectInTime: () => void;
}

interface Behind {
  list: ListName;
  /** Null if KV has none. */
  inKv: Published | null | undefined;
  /** Writes everything again, without relying on KV's content. */
  isForced: boolean;
}

export interface Draft extends Behind {
  publication: string;
  writer: ReturnType<typeof blockWriter>;
  startedAt: Date;
  record: PublicationRecord | undefined;
  /** The record's publication; undefined without a record, or if the list has been published again since. */
  recorded: Publication | undefined;
  isTrusted: boolean;
}

/** The publication whose head must be put; undefined if its content is the same, or another publisher was faster. */
export type PublicationResult = Publication | undefined;

/**
 * Updates a list and records its publication. Returns the recorded one if KV lacks only its head, and the draft if the
 * list must be built instead. Throws a MissingBlockError if KV lacks a block.
 */
export async function updateList(
  round: Round,
  behind: Behind,
  source: Source,
): Promise<PublicationResult | Draft> {
  const { list } = behind;
  const draft = await beginDraft(round, behind, source.records[list]);
  const { record, recorded, isTrusted, writer } = draft;
  if (!isTrusted || !record) return draft;
  if (!recorded) return undefined;
  // The publisher was killed before it put the head, or a slow one has put an older head back.
  const isCurrent = record.sourceVersion === source.versions[list];
  // A publication of an earlier day gets a new date.
  if (isCurrent && record.publishedAt.startsWith(source.day)) return recorded;
  const snapshot = await retry(() => readSnapshot(round.db, list, record, round.clock()));
  if (!snapshot) return draft;
  const previous = recorded.head;
  const { blocks, difference } = await updateBlocks(previous.blocks, snapshot.changed, writer);
  return recordDraft(round, draft, { blocks, snapshot, previous, difference });
}

/**
 * If the database does not know KV's publication, it was restored, and the sweep may have deleted the record's blocks.
 */
async function beginDraft(
  { db, kv, clock, expectInTime }: Round,
  behind: Behind,
  record: PublicationRecord | undefined,
): Promise<Draft> {
  const { list, inKv, isForced } = behind;
  const publication = randomHex(8);
  const startedAt = clock();
  const since = startedAt.toISOString();
  const { recorded, isKnown } = await announcePublication(db, { list, publication, since }, [
    record?.publication,
    inKv?.publication,
  ]);
  const isTrusted =
    !isForced && record !== undefined && (isKnown || inKv?.publication === record.publication);
  const atHand = (isTrusted && recorded?.head.blocks) || [];
  const writer = blockWriter({ kv, list, publication, atHand, expectInTime });
  return { ...behind, publication, writer, startedAt, record, recorded, isTrusted };
}

/** Records a built list with the changes made meanwhile, so that it shows its source at one moment. */
export async function completeList(
  round: Round,
  draft: Draft,
  building: Promise<Map<ListName, Block[]>>,
  source: Source,
): Promise<PublicationResult> {
  const { db, kv, clock } = round;
  const { list, writer, recorded, isTrusted } = draft;
  const built = (await building).get(list)!;
  // KV must have the blocks that the next step reads.
  await writer.finish();
  const since = source.places[list];
  const snapshot = await retry(() => readSnapshot(db, list, since, clock()));
  if (!snapshot) return undefined;
  const { blocks } = await updateBlocks(built, snapshot.changed, writer);
  await writer.finish();
  // If the database was restored, the record is older than the list that readers have seen.
  const previous = isTrusted
    ? recorded?.head
    : ((await findStoredHead(kv, list)) ?? recorded?.head);
  const difference =
    previous && (await compareBlocks(previous.blocks, blocks, writer.load).catch(() => undefined));
  return recordDraft(round, draft, { blocks, snapshot, previous, difference });
}

interface Result {
  blocks: readonly Block[];
  snapshot: Snapshot;
  previous: Head | undefined;
  difference: Difference | undefined;
}

async function recordDraft(
  { db, kv, clock, expectInTime }: Round,
  draft: Draft,
  { blocks, snapshot, previous, difference }: Result,
): Promise<PublicationResult> {
  const { list, record, recorded, inKv, publication, writer, isTrusted, startedAt } = draft;
  await writer.finish();
  const head = await createHead(list, publication, blocks);
  const { etag, count } = head;
  if (isTrusted && record?.etag === etag && record.publication === inKv?.publication) {
    await recordUnchanged(db, list, record, snapshot);
    return undefined;
  }
  const now = timeAfterEarlier(draft, clock());
  const before = previous && (await retryKv(() => findSteps(kv, previous)));
  const steps = addStep(before ?? [], { from: previous?.etag, to: etag }, difference, now);
  expectInTime();
  await keepDayStart(kv, draft, now);
  await putConstant(kv, changesKey(list, publication), compressJson(steps));
  const metadata = {
    publication,
    etag,
    count,
    publishedAt: now.toISOString(),
    tookMilliseconds: clock().getTime() - startedAt.getTime(),
    bytes: bodyBytes(head),
    blocks: blocks.length,
    added: difference?.added.length ?? null,
    removed: difference?.removed.length ?? null,
  };
  const isRecorded = await recordPublication(db, { head, metadata }, snapshot, {
    base: record?.publication,
    replaced: replacedKeysOf(head, [recorded?.head, previous], writer.written),
    expectInTime,
  });
  return isRecorded ? { head, metadata } : undefined;
}

/**
 * If the clock was set back by less than a day, returns the time of the previous publication, so that no day ends
 * twice.
 */
function timeAfterEarlier({ record, inKv }: Draft, now: Date): Date {
  const times = [record, inKv].flatMap((earlier) => Date.parse(earlier?.publishedAt ?? '') || []);
  const latest = Math.max(now.getTime(), ...times);
  return latest - now.getTime() < 24 * 60 * 60 * 1000 ? new Date(latest) : now;
}

/** Before the day's first publication, keeps the one that readers have: it shows the list as the day began. */
async function keepDayStart(
  kv: KVNamespace,
  { list, record, recorded, inKv }: Draft,
  now: Date,
): Promise<void> {
  const day = dayOf(now);
  if ([record, inKv].some((last) => last && last.publishedAt >= startOfDay(day))) return;
  let atDayStart = recorded;
  if (inKv && inKv.publication !== record?.publication) {
    const head = await findStoredHead(kv, list);
    if (head?.publication === inKv.publication) atDayStart = { head, metadata: inKv };
    // KV's listing was late. Look again, unless the head is the recorded one.
    else if (head?.publication !== record?.publication) throw new StaleError('KV has another head');
  }
  if (atDayStart) await putDayStart(kv, day, atDayStart);
}

/** Returns the keys that the head does not name, of earlier publications and of blocks that this one wrote. */
function replacedKeysOf(
  head: Head,
  earlier: readonly (Head | undefined)[],
  written: readonly Block[],
): string[] {
  const { list } = head;
  const named = new Set(head.blocks.map((block) => blockKey(list, block)));
  const keys = new Set(written.map((block) => blockKey(list, block)));
  for (const { blocks, publication } of earlier.flatMap((other) => other ?? [])) {
    keys.add(changesKey(list, publication));
    for (const block of blocks) keys.add(blockKey(list, block));
  }
  return [...keys].filter((key) => !named.has(key));
}
