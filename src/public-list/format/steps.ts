import type { Block } from './block.ts';
import { compareNames, type Entry, entryOf, parseRows } from './entry.ts';

/** The entries that were added and removed, as JSON, in the order of the list. */
export interface Difference {
  added: string[];
  removed: string[];
}

/** The change that one publication made: the step from the content with one ETag to the next. */
interface Step extends Difference {
  from: string;
  /** When it was published, ISO 8601. */
  at: string;
  /** Of the first step: the content before it, and since when there was that; undefined if it is not known. */
  before?: { etag: string; at: string } | undefined;
}

/**
 * The changes kept with a publication, oldest first. The last step leads to the publication's own content. The first one
 * leads from nothing that is known, and says since when there was the content that the next one leads from.
 */
export type Steps = readonly Step[];

const maximumSteps = 100;
const maximumAgeMilliseconds = 7 * 24 * 60 * 60 * 1000;
/** In characters of JSON. If the steps are longer, the oldest ones are dropped, whatever their age. */
const maximumLength = 1_000_000;

function beginning(at: string, before: Step['before']): Step {
  return { from: '', at, added: [], removed: [], before };
}

/**
 * The steps to a publication that readers do not see yet, because its publisher was killed: what leads on from the
 * publication that they see counts from now.
 */
export function dateUnseen(
  steps: Steps,
  seen: { etag: string; publishedAt: string },
  current: string,
  now: Date,
): Steps {
  if (seen.etag === current) return steps;
  const at = now.toISOString();
  const first = steps.findLastIndex(({ from }) => from === seen.etag);
  if (first < 0) return [beginning(at, { etag: seen.etag, at: seen.publishedAt })];
  return steps.map((step, index) => (index < first ? step : { ...step, at }));
}

/**
 * The steps to keep with a publication: its own and the last of the previous one, without a gap. Only the beginning if
 * its own is not known.
 */
export function addStep(
  before: Steps,
  { from, to }: { from: string | undefined; to: string },
  difference: Difference | undefined,
  now: Date,
): Steps {
  if (from === to && before.length > 0) return before;
  const at = now.toISOString();
  if (from === undefined || from === to) return [beginning(at, undefined)];
  const newest = before.at(-1);
  if (!difference) return [beginning(at, newest && { etag: from, at: newest.at })];
  const oldest = new Date(now.getTime() - maximumAgeMilliseconds).toISOString();
  const steps = [...before, { from, at, ...difference }];
  let length = 0;
  // Publishers' clocks disagree, so a step that is too old may come after one that is not.
  const dropped = steps.findLastIndex((step, index) => {
    length += JSON.stringify(step).length;
    return index < steps.length - maximumSteps || step.at < oldest || length > maximumLength;
  });
  const last = steps[dropped];
  if (!last) return steps;
  const earlier = steps[dropped - 1];
  const first = beginning(last.at, earlier ? { etag: last.from, at: earlier.at } : last.before);
  return [first, ...steps.slice(dropped + 1)];
}

/**
 * The ETag of the content that was the last one published before an instant (ISO 8601); undefined if the steps, which
 * lead to the current one, do not reach back so far.
 */
export function findContentBefore(
  steps: Steps,
  instant: string,
  current: string,
): string | undefined {
  const last = steps.findLastIndex(({ at }) => at < instant);
  if (last >= 0) return steps[last + 1]?.from ?? current;
  const before = steps[0]?.before;
  return before && before.at < instant ? before.etag : undefined;
}

/**
 * The entries, in the order of the list, to remove from and to add to the content with one ETag to get the current
 * content. Undefined if the ETag is not among the steps.
 */
export function differenceSince(steps: Steps, etag: string): Difference | undefined {
  // The same content may have been published more than once; the way from its last publication is the shortest.
  const start = steps.findLastIndex(({ from }) => from === etag);
  if (start < 0) return undefined;
  const [added, removed] = [new Set<string>(), new Set<string>()];
  for (const step of steps.slice(start)) {
    for (const entry of step.removed) if (!added.delete(entry)) removed.add(entry);
    for (const entry of step.added) if (!removed.delete(entry)) added.add(entry);
  }
  return { added: inOrder(added), removed: inOrder(removed) };
}

function inOrder(entries: Iterable<string>): string[] {
  const all = parseRows([...entries].join(',')).map(entryOf);
  return all.sort(compareEntries).map(({ json }) => json);
}

/** If more blocks differ, they are not compared, and clients fetch the whole list. */
const maximumComparedBlocks = 200;

/** Compares old and new blocks, and returns the entries that came and went; undefined if too many blocks differ. */
export async function compareBlocks(
  old: readonly Block[],
  now: readonly Block[],
  load: (block: Block) => Promise<Entry[]>,
): Promise<Difference | undefined> {
  const onlyIn = (blocks: readonly Block[], others: readonly Block[]) => {
    const digests = new Set(others.map(({ digest }) => digest));
    return blocks.filter(({ digest }) => !digests.has(digest));
  };
  const [before, after] = [onlyIn(old, now), onlyIn(now, old)];
  if (before.length + after.length > maximumComparedBlocks) return undefined;
  const difference: Difference = { added: [], removed: [] };
  const [left, right] = [entriesOf(before, load), entriesOf(after, load)];
  let [a, b] = [await left.next(), await right.next()];
  let length = 0;
  while (!(a.done && b.done)) {
    const order = a.done ? 1 : b.done ? -1 : compareEntries(a.value, b.value);
    if (order < 0 && !a.done) difference.removed.push(a.value.json);
    if (order > 0 && !b.done) difference.added.push(b.value.json);
    if (order !== 0) length += (order < 0 ? a : b).value?.json.length ?? 0;
    if (length > maximumLength) return undefined;
    if (order <= 0) a = await left.next();
    if (order >= 0) b = await right.next();
  }
  return difference;
}

/** By name, then by the rest of the entry, so that the order is always the same. */
function compareEntries(a: Entry, b: Entry): number {
  return compareNames(a.name, b.name) || compareNames(a.json, b.json);
}

async function* entriesOf(blocks: readonly Block[], load: (block: Block) => Promise<Entry[]>) {
  for (const block of blocks) yield* await load(block);
}
