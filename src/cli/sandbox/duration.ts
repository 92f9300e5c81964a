import { monthsBefore } from '../../day.ts';

const duration =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/;

/** The instant an ISO 8601 duration later, in UTC; an invalid Date if it is too far for a Date. */
export function instantAfter(instant: Date, text: string): Date {
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (
    duration.exec(text) ?? []
  )
    .slice(1)
    .map((part) => Number(part?.replace(',', '.') ?? 0));
  const later = monthsBefore(instant, -(years * 12 + months));
  const milliseconds = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
  return new Date(later.getTime() + milliseconds);
}
