/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** The day so many days before a day. */
export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - days);
  return dayOf(date);
}

/** The day after a day. */
export function dayAfter(day: string): string {
  return daysBefore(day, -1);
}

/** The first instant of a day, as the database keeps times. */
export function startOfDay(day: string): string {
  return `${day}T00:00:00.000Z`;
}

/** Whether the text is an ISO 8601 date, `YYYY-MM-DD`, that exists in the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && dayOf(day) === text;
}

/** The instant so many calendar months before: the same day and time, or the last day of a month that is shorter. */
export function monthsBefore(instant: Date, months: number): Date {
  const earlier = new Date(instant);
  earlier.setUTCMonth(earlier.getUTCMonth() - months);
  // The 31st of a month of 30 days is the first of the next.
  if (earlier.getUTCDate() !== instant.getUTCDate()) earlier.setUTCDate(0);
  return earlier;
}
