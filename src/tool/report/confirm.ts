import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { findNewestId } from '../../change/history/search.ts';
import {
  type ChangeOfSeenOptions,
  type ChangeOptions,
  changedMeanwhile,
  type Origin,
} from '../../change/write.ts';
import { isAgreed, ownTerminal } from './ask.ts';
import { unchangedWhileAsking } from './command-progress.ts';
import { counted } from './text.ts';

/**
 * Asks the operator to confirm the statement, before anything is changed. Throws `invalid` if the answer is not yes, or if
 * there is no terminal to ask on; then `otherwise` says what to do.
 */
export async function confirm(
  statement: string,
  otherwise = 'confirm with --yes',
  terminal = ownTerminal(),
): Promise<void> {
  if (!terminal.input.isTTY) {
    throw new RegistryError('invalid', `${statement} There is no terminal to ask on; ${otherwise}`);
  }
  using _ = unchangedWhileAsking();
  if (await isAgreed(`${statement} Continue?`, terminal)) return;
  throw new RegistryError('invalid', 'not confirmed');
}

/**
 * Tries a change of one thing without making it, asks for confirmation, and makes it; with --yes, it does not ask. Throws
 * what the trial throws, and `changed_meanwhile` if the thing has changed since the question.
 */
export async function confirmedChange<Outcome>(
  { origin, isDryRun }: { origin: Origin; isDryRun: boolean },
  { yes }: { yes?: true },
  change: (origin: Origin, options: ChangeOptions) => Promise<Outcome>,
  statementOf: (would: Outcome) => string | undefined,
): Promise<Outcome> {
  let seen: string | undefined;
  const expecting = (isExpected: (version: string) => boolean) => ({
    ...origin,
    request: { ...origin.request, isExpected },
  });
  const looking = expecting((version) => {
    seen = version;
    return true;
  });
  const would = await change(looking, { isDryRun: true });
  const statement = statementOf(would);
  if (isDryRun || statement === undefined) return would;
  if (!yes) await confirm(statement);
  const asSeen = expecting((version) => {
    if (version === seen) return true;
    throw changedMeanwhile();
  });
  return change(asSeen, {});
}

export const maxRemovalsOption = () =>
  new Option('--max-removals <n>', 'for scripts: refuse to remove more than this').argParser(
    parseCount,
  );

/** The tool asks before it removes more rows than this, or more than a tenth. */
const unaskedRemovals = 100;

interface Removals {
  /** The number of rows that the change removes. */
  removed: number;
  total: number;
}

interface AllRemovals extends Removals {
  /** What one row is called: `reserved name`. */
  one: string;
  /** The rows of each kind, if there are several. */
  kinds?: readonly ({ name: string } & Removals)[];
}

/** The options that answer the question before it is asked. */
export interface RemovalOptions {
  yes?: true;
  maxRemovals?: number;
}

/**
 * Counts what a change of many things would remove, asks as `confirmRemovals` does, and makes the change. Throws
 * `changed_meanwhile` if what was counted has changed since.
 */
export async function confirmedRemoval<Counts extends { removed: number }>(
  { db, isDryRun }: { db: Database; isDryRun: boolean },
  options: RemovalOptions,
  { one, countAll }: { one: string; countAll(): Promise<number> },
  change: (how: ChangeOfSeenOptions) => Promise<Counts>,
): Promise<Counts> {
  const seen = await findNewestId(db);
  const would = await change({ isDryRun: true });
  if (isDryRun) return would;
  await confirmRemovals({ removed: would.removed, total: await countAll(), one }, options);
  return change({ seen });
}

/**
 * Asks before more than a hundred rows, or more than a tenth of all or of one kind, are removed; with --yes or
 * --max-removals, it does not ask. Throws `invalid` if the removal is not confirmed or exceeds the limit.
 */
export async function confirmRemovals(
  { one, kinds = [], ...all }: AllRemovals,
  { yes, maxRemovals }: RemovalOptions,
): Promise<void> {
  const { removed, total } = all;
  const going = kinds.filter((kind) => kind.removed > 0);
  const each = going.map((kind) => `${kind.removed} of ${kind.total} ${kind.name}`).join(', ');
  const statement = `This removes ${removed} of ${counted(total, one)}${each && `: ${each}`}.`;
  if (maxRemovals !== undefined) {
    if (removed <= maxRemovals) return;
    throw new RegistryError('invalid', `${statement} --max-removals allows ${maxRemovals}`);
  }
  const isAsking = !yes && [all, ...going].some(isMany);
  if (isAsking) await confirm(statement, 'confirm with --yes or --max-removals');
}

function isMany({ removed, total }: Removals): boolean {
  return removed > unaskedRemovals || removed > Math.max(1, total / 10);
}

function parseCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number.');
}
