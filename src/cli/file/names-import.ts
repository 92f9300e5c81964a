import type { DomainName } from '../../domain/name.ts';
import { findZoneProblems } from '../../domain/zone.ts';
import { zonesOf } from '../../env.ts';
import type { Problem } from '../../error.ts';
import type { Registry } from '../registry.ts';
import type { ImportOptions } from './importing.ts';
import type { ReadFile } from './read-import.ts';
import { rejectRows, settleRejected } from './rejected.ts';

/**
 * Rejects rows with names of foreign zones and with the problems that `findProblems` finds, and settles what was
 * rejected. Returns the remaining rows and the file with the rejected ones.
 */
export async function settleNames<Row extends DomainName>(
  { env }: Registry,
  read: ReadFile<Row>,
  options: ImportOptions,
  findProblems: (rows: Row[]) => Promise<(Problem & { record: Row })[]> = async () => [],
): Promise<{ names: Row[]; rejectedFile: string | undefined }> {
  rejectRows(
    read,
    findZoneProblems(
      read.rows.map(({ row }) => row),
      zonesOf(env),
    ),
  );
  rejectRows(read, await findProblems(read.rows.map(({ row }) => row)));
  const rejectedFile = await settleRejected(read, options);
  return { names: read.rows.map(({ row }) => row), rejectedFile };
}
