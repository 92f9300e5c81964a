import { and, asc, eq } from 'drizzle-orm';
import { auctions, history } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';

/** The history of a subject, the oldest first. */
export function historyOf(
  env: Env,
  subject: typeof history.$inferSelect.subject,
  { name }: { name: string },
) {
  return openDatabase(env.DB)
    .select()
    .from(history)
    .where(and(eq(history.subject, subject), eq(history.subjectKey, name)))
    .orderBy(asc(history.id));
}

/** Every auction of a name, in the order of their start. */
export function auctionsOf(env: Env, { name }: { name: string }) {
  return openDatabase(env.DB)
    .select()
    .from(auctions)
    .where(eq(auctions.name, name))
    .orderBy(asc(auctions.id));
}

/** The actions on a subject with their changes, the oldest first. */
export async function changesOf(...subject: Parameters<typeof historyOf>) {
  const entries = await historyOf(...subject);
  return entries.map(({ action, changes }) => ({ action, changes }));
}
