import { and, asc, eq } from 'drizzle-orm';
import { type SystemRight, systemRights, systems } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { type Changes, difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { checkExpected } from '../../../change/write.ts';
import { addHolder, changeHolder } from '../../credential/operator/holder.ts';
import { getRegistrar } from '../../registrar/account.ts';
import { addressEntries } from '../../registrar/operator/account.ts';

type SystemAccount = typeof systems.$inferSelect;

type SystemSettings = Pick<SystemAccount, 'rights' | 'allowedIps'>;

export function listSystems(db: Database): Promise<SystemAccount[]> {
  return db.select().from(systems).orderBy(asc(systems.name));
}

/** Adds a system and returns its key, as `addHolder` does. Throws `not_found` for an unknown registrar to act for. */
export async function addSystem(
  operation: Operation,
  { name, key, ...settings }: SystemSettings & { name: string; key?: string },
): Promise<string | undefined> {
  const values = await storedSettings(operation.db, settings);
  return addHolder(operation, systemNamed(name), values, { secret: key });
}

/** Effective from the next request. Returns the changed fields. Throws `invalid`, `not_found`. */
export async function updateSystem(
  operation: Operation,
  name: string,
  settings: Partial<SystemSettings>,
): Promise<Changes> {
  const values = await storedSettings(operation.db, settings);
  return (await changeHolder(operation, systemNamed(name), () => ({ values }))).changes;
}

/** Also removes its certificates; the history keeps its name. Throws `not_found`. */
export async function removeSystem(operation: Operation, name: string): Promise<void> {
  const { db, origin } = operation;
  await changeHolder(operation, systemNamed(name), ({ account, isWritten }) => {
    const { id, rights, allowedIps } = account;
    checkExpected(origin.request, `${id}`);
    return {
      action: 'delete',
      changes: difference({ rights, allowedIps }, { rights: null, allowedIps: null }),
      consequences: [db.delete(systems).where(and(eq(systems.id, id), isWritten))],
    };
  });
}

/** Throws `invalid` and, for a registrar, `not_found`. */
async function storedSettings(db: Database, { rights, allowedIps }: Partial<SystemSettings>) {
  return {
    rights: rights && (await storedRights(db, rights)),
    allowedIps: allowedIps && addressEntries(allowedIps),
  };
}

async function storedRights(db: Database, rights: readonly string[]): Promise<SystemRight[]> {
  const distinct = new Set<SystemRight>();
  for (const right of rights) {
    const [, word, code] = /^([^=]*)(?:=(.*))?$/s.exec(right) ?? [];
    const kind = systemRights.find((each) => each === word);
    if (!kind || (code !== undefined && kind !== 'act-for')) {
      const message = `${JSON.stringify(right)} is not a right: use ${systemRights.join(', ')} or act-for=<registrar>`;
      throw new RegistryError('invalid', message, 'may');
    }
    if (code === undefined) distinct.add(kind);
    else distinct.add(`act-for=${(await getRegistrar(db, asciiUpperCase(code), 'may')).code}`);
  }
  return [...distinct].sort();
}

function systemNamed(name: string) {
  return { type: 'system', key: name } as const;
}
