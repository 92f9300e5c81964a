import type { Kind } from '../../move-in/kind.ts';
import { heldKinds, nameKinds } from '../../move-in/kinds.ts';
import { type RowChange, writeForms } from '../../move-in/write.ts';
import type { Registry } from '../registry.ts';
import { inChunks } from '../report/progress.ts';
import { isHeld } from './findings.ts';
import type { Staging } from './staging.ts';

type Action = RowChange['action'];

/** Each kind with what is done to it, in the order in which every reference finds its row: removals go in reverse. */
const steps: readonly { kind: Kind; actions: readonly Action[] }[] = [
  ...heldKinds.map((kind) => ({ kind, actions: ['replace', 'update', 'add'] as const })),
  ...heldKinds.toReversed().map((kind) => ({ kind, actions: ['remove'] as const })),
  ...nameKinds.map((kind) => ({ kind, actions: ['remove', 'update', 'add'] as const })),
];

const isChanged = 'it was changed here, or what it needs is taken or gone';

/**
 * Makes the planned changes, chunk by chunk. A row that has changed since it was compared, or that something stands in the
 * way of, is skipped: it becomes a conflict and leaves the plan. Returns how many these are.
 */
export async function performPlan(
  { db, origin }: Pick<Registry, 'db' | 'origin'>,
  staging: Staging,
): Promise<number> {
  const actor = { type: 'move_in', name: `move-in (${origin.actor.name})` } as const;
  let count = 0;
  for (const { kind, actions } of steps) {
    for (const action of actions) {
      const planned = staging.changes(kind, action);
      if (planned.length === 0) continue;
      for (const chunk of inChunks(`${kind.name}: ${action}`, planned)) {
        const skipped = await writeForms(db, { ...origin, actor }, kind, chunk);
        for (const { change, heldBy } of skipped) {
          staging.skip(kind, change, heldBy ? isHeld : isChanged, heldBy ?? undefined);
        }
        count += skipped.length;
      }
    }
  }
  return count;
}
