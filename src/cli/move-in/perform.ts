import { type Kind, keyOf } from '../../move-in/kind.ts';
import { heldKinds, nameKinds } from '../../move-in/kinds.ts';
import { type Left, type RowChange, writeForms } from '../../move-in/write.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
import { isTaken, reportLeft } from './plan.ts';
import type { Staging } from './staging.ts';

type Action = RowChange['action'];

/** Each kind with what is done to it, in the order in which every reference finds its row: removals go in reverse. */
const steps: readonly { kind: Kind; actions: readonly Action[] }[] = [
  ...heldKinds.map((kind) => ({ kind, actions: ['replace', 'update', 'add'] as const })),
  ...heldKinds.toReversed().map((kind) => ({ kind, actions: ['remove'] as const })),
  ...nameKinds.map((kind) => ({ kind, actions: ['remove', 'update', 'add'] as const })),
];

/**
 * Makes the planned changes, chunk by chunk. What has changed since it was compared, or what something stands in the way
 * of, is left: it becomes a conflict and leaves the plan.
 */
export async function performPlan(
  { db, origin }: Pick<Registry, 'db' | 'origin'>,
  staging: Staging,
): Promise<void> {
  const actor = { type: 'move_in', name: `move-in (${origin.actor.name})` } as const;
  for (const { kind, actions } of steps) {
    for (const action of actions) {
      const planned = staging.planned(kind, action);
      if (planned.length === 0) continue;
      for (const chunk of inChunks(`${kind.name}: ${action}`, planned)) {
        const others = await writeForms(db, { ...origin, actor }, kind, chunk);
        for (const left of others) leave(staging, kind, left);
      }
    }
  }
}

function leave(staging: Staging, kind: Kind, left: Left): void {
  const { change, here } = left;
  const key = keyOf(kind, (change.to ?? change.from)!);
  staging.unplan(kind, change.action, key);
  reportLeft(staging, kind, change, here, reasonOf(left));
  if (!here) reportLost(staging, kind, key);
}

/** Reports the elements of other rows that refer to one that is not there after all. */
function reportLost(staging: Staging, { name }: Kind, element: string): void {
  for (const other of heldKinds.filter(({ part }) => part?.refersTo === name)) {
    const { file, columns } = other.part!;
    const [, column] = Object.keys(columns);
    for (const place of staging.rowsWith(other, element)) {
      const why = `there is no such row in ${name}`;
      staging.find({ ...place, file, column: column!, value: element, done: 'refused', why });
    }
  }
}

function reasonOf({ change: { action, from }, here, heldBy }: Left): string {
  if (action === 'add' || action === 'replace') return isTaken;
  const isAsCompared = here && JSON.stringify(here) === JSON.stringify(from);
  if (!isAsCompared) return 'somebody else changed it just now';
  return heldBy ? `${heldBy} still refers to it` : isTaken;
}
