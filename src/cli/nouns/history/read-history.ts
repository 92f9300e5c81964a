import { everyRow } from '../../../database/every-row.ts';
import type { Database } from '../../../database/open.ts';
import {
  findIdBefore,
  findNewestId,
  type HistoryCriteria,
  type HistoryEntry,
  listHistory,
} from '../../../history/search.ts';

/** The entries that meet the criteria, the oldest first. With a pause, it then follows new entries for ever. */
export async function* readHistory(
  db: Database,
  criteria: HistoryCriteria,
  pause?: () => Promise<unknown>,
): AsyncGenerator<HistoryEntry, void> {
  let last = criteria.since ? await findIdBefore(db, criteria.since) : 0;
  for (;;) {
    const [start, upTo] = [last, await findNewestId(db)];
    yield* everyRow<HistoryEntry>(({ after = { id: start }, limit }) =>
      listHistory(db, criteria, { after, upTo, limit }),
    );
    if (!pause) return;
    last = upTo;
    await pause();
  }
}
