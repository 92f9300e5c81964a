import type { SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { HistorySubject } from '../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import type { Action } from '../change/history/changes.ts';
import type { Operation } from '../change/origin.ts';
import { type ChangesOfMany, changesOfRows } from '../change/write-many.ts';
import { deleteAuctions } from '../name/auction/operator/start.ts';
import { insertAuctions } from '../name/auction/start.ts';
import { deleteDomains } from '../name/domain/change.ts';
import { recordedName } from '../name/domain/operator/name.ts';
import { insertRetainedDomains, namesIn } from '../name/retained/change-names.ts';
import {
  deleteRetainedDomains,
  updateReservations,
} from '../name/retained/operator/change-names.ts';
import {
  deleteDisputes,
  insertDisputes,
  updateClosures,
} from '../name/retained/operator/dispute.ts';
import { contactDeletions, contactReturns, contactUpdates } from './contact.ts';
import { type DomainRows, formerDomains } from './domain.ts';
import { type Reversal, type RevertibleAction, valuesAfter } from './reversal.ts';

type Make = (
  operation: Operation,
  reversals: readonly Reversal[],
  domains: DomainRows,
) => ChangesOfMany[] | Promise<ChangesOfMany[]>;

type Kinds = { [Subject in HistorySubject]: Record<RevertibleAction<Subject>, Make> };

/** A function, so that the bundle of the desk, which only plans, does without. */
const kinds = (): Kinds => ({
  retained_domain: {
    create: ofRows((db, rows) => insertRetainedDomains(db, namesIn(rows))),
    update: ofRows(updateReservations),
    delete: ofRows(deleteRetainedDomains),
  },
  dispute: {
    create: ofRows(insertDisputes),
    update: ofRows(updateClosures),
    delete: ofRows(deleteDisputes),
  },
  auction: { create: ofRows(insertAuctions), delete: ofRows(deleteAuctions) },
  contact: { create: contactReturns, update: contactUpdates, delete: contactDeletions },
  domain: { create: formerDomains, update: formerDomains, delete: ofRows(deleteDomains) },
  registrar: {},
  api_user: {},
  system: {},
  disclosure: {},
});

export async function reversalChanges(
  operation: Operation,
  reversals: readonly Reversal[],
  domains: DomainRows,
): Promise<ChangesOfMany[]> {
  const { subject, action } = reversals[0]!;
  const makes: Partial<Record<Action, Make>> = kinds()[subject];
  return (await makes[action]?.(operation, reversals, domains)) ?? [];
}

type Statements = BatchItem<'sqlite'> | BatchItem<'sqlite'>[];

/** For kinds whose statements take a query of rows. */
function ofRows(statementsOf: (db: Database, rows: SQL) => Statements): Make {
  return ({ db, origin: { request } }, reversals) => {
    const { subject, action } = reversals[0]!;
    const at = request.at.toISOString();
    return jsonArrays(reversals.map((reversal) => rowOf(reversal, at)))
      .map(rowsIn)
      .map((rows) => changesOfRows(subject, action, rows, [statementsOf(db, rows)].flat()));
  };
}

/**
 * The row after the change or, for a deletion, before it, with the changes. Values that the history lacks are not restored: a password, or
 * an auction's registration code.
 */
function rowOf({ action, key, uuid, registrar, changes, entry }: Reversal, at: string) {
  const values = valuesAfter(action === 'delete' ? entry.changes : changes);
  const times = { createdAt: at, updatedAt: at };
  return { ...times, ...values, ...recordedName(key), key, uuid, registrar, changes };
}
