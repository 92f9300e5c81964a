import type { Database } from '../../database/open.ts';
import { retried } from '../../database/retry.ts';
import { randomHex } from '../../digest.ts';
import { buildLists } from '../build.ts';
import type { Block } from '../format/block.ts';
import {
  blockKey,
  bodyBytes,
  changesKey,
  createHead,
  findStoredHead,
  type Head,
  putHead,
} from '../format/head.ts';
import { addStep, compareBlocks, readSteps, stepsToValue } from '../format/steps.ts';
import { putConstant, tried } from '../kv.ts';
import type { ListName } from '../lists.ts';
import {
  announcePublication,
  findPublication,
  type KeptPublication,
  recordPublication,
  recordUnchanged,
} from './record.ts';
import {
  type Place,
  type PublicationRecord,
  readSnapshot,
  type Snapshot,
  type Source,
} from './source.ts';
import { type Difference, updateBlocks } from './update.ts';
import { BlockWriter } from './writer.ts';

/** What publishing needs. */
export interface Tools {
  db: Database;
  kv: KVNamespace;
  clock: () => Date;
}

/** What is known of a list before it is renewed. */
export interface Base {
  list: ListName;
  record: PublicationRecord | undefined;
  /** Whether KV has the blocks that the record names. */
  isTrusted: boolean;
}

/** The publication that was written, or why none was. */
export type Outcome = { publication: string } | 'unchanged' | 'overtaken';

/** The renewal of a list that is under way. */
interface Renewal extends Base {
  publication: string;
  writer: BlockWriter;
  startedAt: Date;
  /** The recorded publication. */
  kept: KeptPublication | undefined;
}

async function beginRenewal({ db, kv, clock }: Tools, base: Base): Promise<Renewal> {
  const { list, record } = base;
  const publication = randomHex(8);
  const startedAt = clock();
  const announce = () => announcePublication(db, list, publication, startedAt);
  const kept = record && (await findPublication(db, list, record.publication));
  const writer = new BlockWriter(kv, list, publication, announce);
  return { ...base, publication, writer, startedAt, kept };
}

/** Publishes what has changed since the recorded publication. Throws a MissingBlockError if KV lacks a block of it. */
export async function updateList(
  tools: Tools,
  list: ListName,
  record: PublicationRecord,
): Promise<Outcome | 'too much'> {
  const renewal = await beginRenewal(tools, { list, record, isTrusted: true });
  const { kept, writer } = renewal;
  if (!kept) return 'overtaken';
  const snapshot = await retried(() => readSnapshot(tools.db, list, record, tools.clock()));
  if (!snapshot) return 'too much';
  const { blocks, difference } = await updateBlocks(kept.head.blocks, snapshot.changed, writer);
  return conclude(tools, renewal, { blocks, snapshot, previous: kept.head, difference });
}

/**
 * Builds the lists from their whole source and publishes them. Changes made while it runs are applied before a list is
 * published, so that each list is what its source was at one moment. The outcome of a list that failed is an error.
 */
export async function rebuildLists(
  tools: Tools,
  bases: readonly Base[],
  { day, places }: Pick<Source, 'day' | 'places'>,
): Promise<Map<ListName, Outcome | Error>> {
  const renewals = await Promise.all(bases.map((base) => beginRenewal(tools, base)));
  const buildings = renewals.map(({ list, writer, kept, isTrusted }) => ({
    list,
    save: writer.save,
    atHand: isTrusted && kept ? kept.head.blocks : [],
  }));
  const built = await buildLists(tools.db, buildings, day);
  const outcomes = new Map<ListName, Outcome | Error>();
  for (const renewal of renewals) {
    const { list } = renewal;
    const blocks = built.get(list) ?? [];
    const outcome =
      blocks instanceof Error
        ? blocks
        : await catchUp(tools, renewal, blocks, places[list]).catch((error: Error) => error);
    outcomes.set(list, outcome);
  }
  return outcomes;
}

async function catchUp(
  tools: Tools,
  renewal: Renewal,
  built: readonly Block[],
  since: Place,
): Promise<Outcome> {
  const { list, writer, kept, isTrusted } = renewal;
  await writer.finish();
  const snapshot = await retried(() => readSnapshot(tools.db, list, since, tools.clock()));
  if (!snapshot) return 'overtaken';
  const { blocks } = await updateBlocks(built, snapshot.changed, writer);
  await writer.finish();
  // If the database was restored, the record is older than what readers have seen.
  const previous = isTrusted ? kept?.head : ((await findStoredHead(tools.kv, list)) ?? kept?.head);
  const difference =
    previous && (await compareBlocks(previous.blocks, blocks, writer.load).catch(() => undefined));
  return conclude(tools, renewal, { blocks, snapshot, previous, difference });
}

/** What the list contains now, and what readers had before. */
interface Result {
  blocks: readonly Block[];
  snapshot: Snapshot;
  previous: Head | undefined;
  difference: Difference | undefined;
}

/** Records the publication and puts its head, after everything that the head names is in KV. */
async function conclude(
  tools: Tools,
  renewal: Renewal,
  { blocks, snapshot, previous, difference }: Result,
): Promise<Outcome> {
  const { db, kv, clock } = tools;
  const { list, record, kept, publication, writer, isTrusted, startedAt } = renewal;
  const head = await createHead(list, publication, blocks);
  if (isTrusted && record && head.etag === record.etag) {
    await recordUnchanged(db, list, record, snapshot);
    return 'unchanged';
  }
  await writer.announced();
  await writer.finish();
  const steps = await stepsTo(tools, head, previous, difference);
  await putConstant(kv, changesKey(list, publication), stepsToValue(steps));
  const now = clock();
  const metadata = {
    publication,
    etag: head.etag,
    count: head.count,
    publishedAt: now.toISOString(),
    tookMilliseconds: now.getTime() - startedAt.getTime(),
    bytes: bodyBytes(head),
    blocks: head.blocks.length,
    added: difference?.added.length ?? null,
    removed: difference?.removed.length ?? null,
  };
  const isRecorded = await recordPublication(db, { head, metadata }, snapshot, {
    base: record?.publication,
    leftovers: leftoversOf(head, [kept?.head, previous], writer.written),
    now,
  });
  if (!isRecorded) return 'overtaken';
  await putHead(kv, { head, metadata });
  return { publication };
}

async function stepsTo(
  { kv, clock }: Tools,
  head: Head,
  previous: Head | undefined,
  difference: Difference | undefined,
) {
  if (!previous) return [];
  const { steps } = await tried(() => readSteps(kv, previous));
  return previous.etag === head.etag ? steps : addStep(steps, previous.etag, difference, clock());
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
