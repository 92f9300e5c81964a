import { everyRow } from '../../../base/database/every-row.ts';
import type { Database } from '../../../base/database/open.ts';
import { type Disclosure, listDisclosures } from './read.ts';

/**
 * Counts by month of receipt, organisation and outcome, and in all. Names only organisations, so that it may be
 * published.
 */
export async function reportDisclosures(db: Database) {
  const every: Disclosure[] = await Array.fromAsync(
    everyRow<Disclosure>((page) => listDisclosures(db, { isOpen: false }, page)),
  );
  const keyOf = ({ receivedAt, organization, outcome }: Disclosure) =>
    JSON.stringify([receivedAt.slice(0, 7), organization, outcome ?? 'open']);
  const groups = [...Map.groupBy(every, keyOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  const requests = groups.map(([key, same]) => {
    const [month, organization, outcome] = JSON.parse(key) as [string, string, string];
    return { month, organization, outcome, count: same.length, ...timesOf(same) };
  });
  return { requests, all: { count: every.length, ...timesOf(every) } };
}

/** Hours from receipt to answer, rounded up so that no answer looks earlier; null where there is none. */
function timesOf(disclosures: readonly Disclosure[]) {
  const times = disclosures
    .flatMap(({ receivedAt, answeredAt }) =>
      answeredAt === null ? [] : [Date.parse(answeredAt) - Date.parse(receivedAt)],
    )
    .sort((one, other) => one - other);
  if (times.length === 0) return { median_hours: null, longest_hours: null };
  const [lower, upper] = [times[(times.length - 1) >> 1]!, times[times.length >> 1]!];
  const hours = (milliseconds: number) => Math.ceil(milliseconds / 36_000) / 100;
  return { median_hours: hours((lower + upper) / 2), longest_hours: hours(times.at(-1)!) };
}
