import { randomHex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import { dayOf, startOfDay } from '../../base/time/day.ts';
import type { Building } from '../build.ts';
import type { Block } from '../format/block.ts';
import { bodyBytes } from '../format/body.ts';
import type { Entry } from '../format/entry.ts';
import { compressJson } from '../format/gzip.ts';
import { createHead, type Head, type Published } from '../format/head.ts';
import { addStep, compareBlocks, type Difference } from '../format/steps.ts';
import {
  blockKey,
  changesKey,
  findSteps,
  findStoredHead,
  type Publication,
  putConstant,
  putDayStart,
  StaleError,
  tried,
} from '../kv.ts';
import {
  announcePublication,
  findPublication,
  isKnownPublication,
  type Place,
  type PublicationRecord,
  recordPublication,
  recordUnchanged,
} from './record.ts';
import { readSnapshot, type Snapshot } from './source.ts';
import { updateBlocks } from './update.ts';
import { BlockWriter } from './writer.ts';

export interface Tools {
  db: Database;
  kv: KVNamespace;
  clock: () => Date;
  /** Throws a StaleError if it is too late to record or to put anything. */
  expectInTime: () => void;
}

export interface Draft extends Building {
  publication: string;
  writer: BlockWriter;
  startedAt: Date;
  record: PublicationRecord | undefined;
  recorded: Publication | undefined;
  /** Null if KV has none. */
  inKv: Published | null | undefined;
  isTrusted: boolean;
}

/**
 * KV has the blocks that the record names unless it holds a publication that the database does not know: then the
 * database was restored, and the sweep may have deleted those blocks since.
 */
export async function beginDraft(
  { db, kv, clock, expectInTime }: Tools,
  { list, inKv, isForced }: Pick<Draft, 'list' | 'inKv'> & { isForced: boolean },
  record: PublicationRecord | undefined,
): Promise<Draft> {
  const isTrusted =
    !isForced && record && inKv
      ? inKv.publication === record.publication || (await isKnownPublication(db, inKv.publication))
      : false;
  const recorded = record && (await findPublication(db, list, record.publication));
  const publication = randomHex(8);
  const startedAt = clock();
  const announce = () => announcePublication(db, list, publication, startedAt);
  const writer = new BlockWriter({ kv, list, publication, announce, expectInTime });
  // KV has these already, so a build need not write them again.
  const atHand = isTrusted && recorded ? recorded.head.blocks : [];
  const save = (entries: Entry[]) => writer.save(entries, atHand);
  return { list, publication, writer, save, startedAt, record, recorded, inKv, isTrusted };
}

/**
 * Writes the blocks that have changed since the recorded publication, and records the new one. Undefined if the content
 * is the same, or another publication was recorded meanwhile. Throws a MissingBlockError if KV lacks a block.
 */
export async function recordUpdated(
  tools: Tools,
  draft: Draft,
): Promise<Publication | undefined | 'to build'> {
  const { list, writer, record, recorded } = draft;
  if (!record || !recorded) return undefined;
  const snapshot = await retried(() => readSnapshot(tools.db, list, record, tools.clock()));
  if (!snapshot) return 'to build';
  const { blocks, difference } = await updateBlocks(recorded.head.blocks, snapshot.changed, writer);
  return recordDraft(tools, draft, { blocks, snapshot, previous: recorded.head, difference });
}

/**
 * The same for a list that was built from its whole source: applies the changes made since, so that the list is what
 * its source was at one moment.
 */
export async function recordBuilt(
  tools: Tools,
  draft: Draft,
  built: readonly Block[],
  since: Place,
): Promise<Publication | undefined> {
  const { list, writer, recorded, isTrusted } = draft;
  await writer.finish();
  const snapshot = await retried(() => readSnapshot(tools.db, list, since, tools.clock()));
  if (!snapshot) return undefined;
  tools.expectInTime();
  const { blocks } = await updateBlocks(built, snapshot.changed, writer);
  await writer.finish();
  // If the database was restored, the record is older than the list that readers have seen.
  const previous = isTrusted
    ? recorded?.head
    : ((await findStoredHead(tools.kv, list)) ?? recorded?.head);
  const difference =
    previous && (await compareBlocks(previous.blocks, blocks, writer.load).catch(() => undefined));
  return recordDraft(tools, draft, { blocks, snapshot, previous, difference });
}

interface Result {
  blocks: readonly Block[];
  snapshot: Snapshot;
  previous: Head | undefined;
  difference: Difference | undefined;
}

async function recordDraft(
  { db, kv, clock, expectInTime }: Tools,
  draft: Draft,
  { blocks, snapshot, previous, difference }: Result,
): Promise<Publication | undefined> {
  const { list, record, recorded, inKv, publication, writer, isTrusted, startedAt } = draft;
  await writer.finish();
  const head = await createHead(list, publication, blocks);
  const { etag, count } = head;
  if (isTrusted && record?.etag === etag && record.publication === inKv?.publication) {
    await recordUnchanged(db, list, record, snapshot);
    return undefined;
  }
  const now = timeAfterEarlier(draft, clock());
  const before = previous && (await tried(() => findSteps(kv, previous)));
  const steps = addStep(before ?? [], { from: previous?.etag, to: etag }, difference, now);
  await writer.announced();
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
    leftovers: leftoversOf(head, [recorded?.head, previous], writer.written),
    expectInTime,
  });
  return isRecorded ? { head, metadata } : undefined;
}

/**
 * A clock that was set back by less than a day dates a publication as the one that it follows, so that a day which has
 * ended does not end again. A clock that was ahead by more loses the days until then.
 */
function timeAfterEarlier({ record, inKv }: Draft, now: Date): Date {
  const times = [record, inKv].flatMap((earlier) => Date.parse(earlier?.publishedAt ?? '') || []);
  const latest = Math.max(now.getTime(), ...times);
  return latest - now.getTime() < 24 * 60 * 60 * 1000 ? new Date(latest) : now;
}

/**
 * Keeps what readers have until the first publication of a day: that is how the list stood when the day began. A
 * publication recorded on this day has done it already.
 */
async function keepDayStart(
  kv: KVNamespace,
  { list, record, recorded, inKv }: Draft,
  now: Date,
): Promise<void> {
  const day = dayOf(now);
  if ([record, inKv].some((last) => last && last.publishedAt >= startOfDay(day))) return;
  let stood = recorded;
  if (inKv && inKv.publication !== record?.publication) {
    const head = await findStoredHead(kv, list);
    if (head?.publication === inKv.publication) stood = { head, metadata: inKv };
    // KV's listing was late. It is looked at again, unless the head is the recorded one.
    else if (head?.publication !== record?.publication) throw new StaleError('KV has another head');
  }
  if (stood) await putDayStart(kv, day, stood);
}

/** The keys of earlier publications, and of blocks that this one wrote, that the head does not name. */
function leftoversOf(
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
