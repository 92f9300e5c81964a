import { Option } from '@commander-js/extra-typings';
import { RegistryError } from '../../base/error.ts';
import { findNewestId } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import { changedMeanwhile } from '../../change/write.ts';
import type { SeenOperation } from '../../change/write-many.ts';
import { countText, type Lines, linesOf } from '../../view/text.ts';
import { parseNumber } from '../command.ts';
import { isAgreed, ownTerminal } from './ask.ts';

export class UnansweredError extends RegistryError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super('invalid', lines.join('\n'));
    this.lines = lines;
  }
}

/**
 * Throws `invalid` if the answer is not yes, or if there is no terminal; then `otherwise` is the
 * advice.
 */
export async function confirm(
  statement: Lines,
  otherwise = 'confirm with --yes',
  terminal = ownTerminal(),
): Promise<void> {
  const lines = linesOf(statement);
  if (!terminal.input.isTTY) {
    throw new UnansweredError([
      ...lines.slice(0, -1),
      `${lines.at(-1)} There is no terminal to ask on; ${otherwise}`,
    ]);
  }
  if (await isAgreed([...lines.slice(0, -1), `${lines.at(-1)} Continue?`], terminal)) return;
  throw new RegistryError('invalid', 'not confirmed');
}

/**
 * Tries a change of one thing, asks for confirmation (not with --yes), and makes it. Throws the trial's errors, and `changed_meanwhile` if the
 * thing has changed since the question.
 */
export async function confirmedChange<Outcome>(
  operation: Operation,
  { yes }: { yes?: true },
  change: (operation: Operation) => Promise<Outcome>,
  statementOf: (would: Outcome) => Lines | undefined,
): Promise<Outcome> {
  const { db, origin, isDryRun } = operation;
  let seen: string | undefined;
  const expecting = (isExpected: (version: string) => boolean) => ({
    db,
    origin: { ...origin, request: { ...origin.request, isExpected } },
  });
  const looking = expecting((version) => {
    seen = version;
    return true;
  });
  const would = await change({ ...looking, isDryRun: true });
  const statement = statementOf(would);
  if (isDryRun || statement === undefined) return would;
  if (!yes) await confirm(statement);
  const asSeen = expecting((version) => {
    if (version === seen) return true;
    throw changedMeanwhile();
  });
  return change(asSeen);
}

export const maxRemovalsOption = () =>
  new Option('--max-removals <n>', 'for scripts: refuse to remove more').argParser(parseNumber);

/** The tool asks before it removes more rows, or more than a tenth. */
const unaskedRemovals = 100;

export interface RemovalOptions {
  yes?: true;
  maxRemovals?: number;
}

/**
 * Tries a change that removes rows, asks before it removes many, and makes it. --yes or --max-removals answers the question. `one` is the noun
 * for a row: `reserved name`. Throws `invalid` if the removal is not confirmed or exceeds the limit, and `changed_meanwhile` if the rows have
 * changed since the trial.
 */
export async function confirmedRemoval<Counts extends { removed: number }>(
  { db, origin, isDryRun }: Operation,
  { yes, maxRemovals }: RemovalOptions,
  { one, countAll }: { one: string; countAll(): Promise<number> },
  change: (operation: SeenOperation) => Promise<Counts>,
): Promise<Counts> {
  const seen = await findNewestId(db);
  const would = await change({ db, origin, isDryRun: true });
  if (isDryRun) return would;
  const { removed } = would;
  const total = await countAll();
  const statement = `This removes ${removed} of ${countText(total, one)}.`;
  if (maxRemovals !== undefined && removed > maxRemovals) {
    throw new RegistryError('invalid', `${statement} --max-removals allows ${maxRemovals}`);
  }
  const areMany = removed > unaskedRemovals || removed > Math.max(1, total / 10);
  if (areMany && !yes && maxRemovals === undefined) {
    await confirm(statement, 'confirm with --yes or --max-removals');
  }
  return change({ db, origin, seen });
}
