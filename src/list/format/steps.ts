import type { Block } from './block.ts';
import { compareNames, entryOf, type ListEntry, parseRows } from './entry.ts';

/** Entries as JSON, in the order of the list. */
export interface Difference {
  added: string[];
  removed: string[];
}

interface Step extends Difference {
  from: string;
  at: string;
}

/** Oldest first. The last step leads to the publication's own content. */
export type Steps = readonly Step[];

const maximumSteps = 100;
const maximumAgeMilliseconds = 7 * 24 * 60 * 60 * 1000;
/** In characters of JSON. Beyond this, the oldest steps are dropped. */
const maximumLength = 1_000_000;

/** Leaves no gap: without the publication's own step, returns none. */
export function addStep(
  before: Steps,
  { from, to }: { from: string | undefined; to: string },
  difference: Difference | undefined,
  now: Date,
): Steps {
  if (from === to) return before;
  if (from === undefined || !difference) return [];
  const oldest = new Date(now.getTime() - maximumAgeMilliseconds).toISOString();
  const steps = [...before, { from, at: now.toISOString(), ...difference }];
  let total = 0;
  // Publishers' clocks disagree, so steps may not be in the order of their times.
  const dropped = steps.findLastIndex((step, index) => {
    total += JSON.stringify(step).length;
    return index < steps.length - maximumSteps || step.at < oldest || total > maximumLength;
  });
  return steps.slice(dropped + 1);
}

/**
 * Returns the difference between the content with that ETag and the current content, in the order of the list.
 * Undefined if no step starts from the ETag.
 */
export function differenceSince(steps: Steps, etag: string): Difference | undefined {
  // The content may have been published more than once. The shortest way is from the last time.
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

/** If more blocks differ, clients fetch the whole list. */
const maximumComparedBlocks = 200;

/** Undefined if too much differs. */
export async function compareBlocks(
  old: readonly Block[],
  now: readonly Block[],
  load: (block: Block) => Promise<ListEntry[]>,
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
  let total = 0;
  while (!(a.done && b.done)) {
    const order = a.done ? 1 : b.done ? -1 : compareEntries(a.value, b.value);
    if (order < 0 && !a.done) difference.removed.push(a.value.json);
    if (order > 0 && !b.done) difference.added.push(b.value.json);
    if (order !== 0) total += (order < 0 ? a : b).value?.json.length ?? 0;
    if (total > maximumLength) return undefined;
    if (order <= 0) a = await left.next();
    if (order >= 0) b = await right.next();
  }
  return difference;
}

/** So that entries of the same name always have the same order. */
function compareEntries(a: ListEntry, b: ListEntry): number {
  return compareNames(a.name, b.name) || compareNames(a.json, b.json);
}

async function* entriesOf(blocks: readonly Block[], load: (block: Block) => Promise<ListEntry[]>) {
  for (const block of blocks) yield* await load(block);
}
