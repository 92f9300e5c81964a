import { domains } from '../../../../drizzle/schema.ts';
import { isIn } from '../../../base/database/json-rows.ts';
import type { Operation } from '../../../change/origin.ts';
import { writeMany } from '../../../change/write-many.ts';
import { getRegistrar } from '../../../party/registrar/account.ts';
import { selectDomains } from '../read.ts';
import { planTransfer } from '../transfer.ts';

/**
 * Transfers so many domains in one batch, as `transferDomain` does each; a contact of several gets one copy. Skips domains
 * that are gone, or transferred already. Returns the number of domains, and the codes of the replaced contacts.
 */
export async function transferDomains(
  operation: Operation,
  names: readonly string[],
  registrar: string,
): Promise<{ domains: number; replaced: string[] }> {
  const { db } = operation;
  const plan = async (lastEntryId: number) => {
    const found = await selectDomains(db, isIn(domains.name, JSON.stringify(names)));
    const all = found.map(({ name, punycode, ...present }) => ({
      name: { name, punycode },
      present,
    }));
    const to = await getRegistrar(db, registrar);
    const { rows, copies, write } = await planTransfer(operation, all, to, lastEntryId);
    return { outcome: { domains: rows.length, replaced: Object.keys(copies) }, write };
  };
  return writeMany(operation, `domain ${names[0]}`, plan);
}
