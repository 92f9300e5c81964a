import { daysBefore } from '../../../base/time/day.ts';
import { listNames } from '../../lists.ts';
import { bodiesPrefix, bodyKey } from '../body.ts';
import { listDays } from '../day.ts';
import { listObjects } from '../objects.ts';

/** Days that were recorded as missing, or whose content the bucket has lost. */
export interface Gap {
  first_day: string;
  last_day: string;
  reason: 'missing' | 'lost';
}

/** One operation of R2 for each 1,000 days and each 1,000 contents. */
export async function readContents(bucket: R2Bucket) {
  const objects = await Array.fromAsync(listObjects(bucket, { prefix: bodiesPrefix }));
  const sizes = new Map(objects.map(({ key, size }) => [key, size]));
  return Promise.all(
    listNames.map(async (list) => {
      const days = await Array.fromAsync(listDays(bucket, list));
      const gaps: Gap[] = [];
      let keptDays = 0;
      for (const record of days) {
        if ('missing' in record) addGap(gaps, record.day, 'missing');
        else if (sizes.has(bodyKey(record))) keptDays += 1;
        else addGap(gaps, record.day, 'lost');
      }
      const bodies = [...sizes].filter(([key]) => key.startsWith(bodyKey({ list, etag: '' })));
      return {
        list,
        first_day: days[0]?.day ?? null,
        last_day: days.at(-1)?.day ?? null,
        days: keptDays,
        contents: bodies.length,
        bytes: bodies.reduce((sum, [, bytes]) => sum + bytes, 0),
        gaps,
      };
    }),
  );
}

function addGap(gaps: Gap[], day: string, reason: Gap['reason']): void {
  const last = gaps.at(-1);
  if (last?.reason === reason && daysBefore(day, 1) === last.last_day) last.last_day = day;
  else gaps.push({ first_day: day, last_day: day, reason });
}
