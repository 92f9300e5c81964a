import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { RegistryError } from '../error.ts';
import { confirm } from './confirm.ts';
import { counted } from './text.ts';

export const maxRemovalsOption = () =>
  new Option('--max-removals <n>', 'for scripts: refuse to remove more than this').argParser(
    parseCount,
  );

/** Above this number, or above a tenth of the rows, the tool asks first. */
const unaskedRemovals = 100;

interface Removals {
  /** The number of rows that would go, of all that there are. */
  removed: number;
  total: number;
  /** One of them: `reserved name`. */
  one: string;
}

/** The options that answer the question beforehand. */
export interface RemovalOptions {
  yes?: true;
  maxRemovals?: number;
}

/**
 * Asks before more than a tenth of the rows, or more than a hundred, are removed. With --yes or --max-removals it does
 * not ask. Throws `invalid` if that is not confirmed or exceeds the limit.
 */
export async function confirmRemovals(
  { removed, total, one }: Removals,
  { yes, maxRemovals }: RemovalOptions,
): Promise<void> {
  const statement = `This removes ${removed} of ${counted(total, one)}.`;
  if (maxRemovals !== undefined) {
    if (removed <= maxRemovals) return;
    throw new RegistryError('invalid', `${statement} --max-removals allows ${maxRemovals}`);
  }
  const isMany = removed > unaskedRemovals || removed > Math.max(1, total / 10);
  if (!isMany || yes) return;
  await confirm(statement, 'confirm with --yes or --max-removals');
}

function parseCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number.');
}
