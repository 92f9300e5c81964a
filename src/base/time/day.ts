/** `YYYY-MM-DD`, in UTC. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - days);
  return dayOf(date);
}

export function dayAfter(day: string): string {
  return daysBefore(day, -1);
}

/** In the database's form of times. */
export function startOfDay(day: string): string {
  return `${day}T00:00:00.000Z`;
}

/** ISO 8601, `YYYY-MM-DD`; the day exists in the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && dayOf(day) === text;
}

/** Returns the same day of the month at the same time, or the last day of a shorter month. */
export function monthsBefore(instant: Date, months: number): Date {
  const earlier = new Date(instant);
  earlier.setUTCMonth(earlier.getUTCMonth() - months);
  // The 31st of a month of 30 days is the first of the next.
  if (earlier.getUTCDate() !== instant.getUTCDate()) earlier.setUTCDate(0);
  return earlier;
}
