import { removeOldValues } from './contact/history-values.ts';
import { deleteOrphans } from './contact/orphans.ts';
import { openDatabase } from './database/open.ts';
import { monthsBefore } from './day.ts';
import { type Env, settings } from './env.ts';
import { writeLog } from './log.ts';

// What the settings say is not to be kept for ever. Each call does a part of what there is to do; the next continues.

/** Deletes the contacts that no domain has referred to for `ORPHAN_CONTACT_MONTHS`. */
export async function endOrphanContacts(env: Env, at: Date): Promise<void> {
  const { orphanContactMonths: months } = settings(env);
  if (months === undefined) return;
  const request = { at, requestId: crypto.randomUUID() };
  const before = monthsBefore(at, months).toISOString();
  const contacts = await deleteOrphans(openDatabase(env.DB), before, request);
  if (contacts > 0) writeLog('info', { event: 'orphan_contacts_deleted', contacts });
}

/** Removes personal values from history that is older than `HISTORY_VALUES_MONTHS`. */
export async function endHistoryValues(env: Env, at: Date): Promise<void> {
  const { historyValuesMonths: months } = settings(env);
  if (months === undefined) return;
  const before = monthsBefore(at, months).toISOString();
  const entries = await removeOldValues(openDatabase(env.DB), before);
  if (entries > 0) writeLog('info', { event: 'history_values_removed', entries });
}
