import { type Kind, keyOf } from '../../move-in/kind.ts';
import { heldKinds, nameKinds } from '../../move-in/kinds.ts';
import { type Left, type RowChange, writeForms } from '../../move-in/write.ts';
import type { Registry } from '../registry.ts';
import { inChunks } from '../report/progress.ts';
import { leftFinding } from './collisions.ts';
import type { Staging } from './staging.ts';

type Action = RowChange['action'];

/** Each kind with what is done to it, in the order in which every reference finds its row: removals go in reverse. */
const steps: readonly { kind: Kind; actions: readonly Action[] }[] = [
  ...heldKinds.map((kind) => ({ kind, actions: ['replace', 'update', 'add'] as const })),
  ...heldKinds.toReversed().map((kind) => ({ kind, actions: ['remove'] as const })),
  ...nameKinds.map((kind) => ({ kind, actions: ['remove', 'update', 'add'] as const })),
];

export const isHeld = 'another row still refers to it';

const isChanged = 'it was changed here, or what it needs is taken or gone';

/**
 * Makes the planned changes, chunk by chunk. What has changed since it was compared, or what something stands in the way
 * of, is left: it becomes a conflict and leaves the plan. Returns how many these are.
 */
export async function performPlan(
  { db, origin }: Pick<Registry, 'db' | 'origin'>,
  staging: Staging,
): Promise<number> {
  const actor = { type: 'move_in', name: `move-in (${origin.actor.name})` } as const;
  let count = 0;
  for (const { kind, actions } of steps) {
    for (const action of actions) {
      const planned = staging.planned(kind, action);
      if (planned.length === 0) continue;
      const left: Left[] = [];
      for (const chunk of inChunks(`${kind.name}: ${action}`, planned)) {
        left.push(...(await writeForms(db, { ...origin, actor }, kind, chunk)));
      }
      for (const each of left) leave(staging, kind, each);
      count += left.length;
    }
  }
  return count;
}

function leave(staging: Staging, kind: Kind, { change, heldBy }: Left): void {
  staging.unplan(kind, change.action, keyOf(kind, (change.to ?? change.from)!));
  const finding = leftFinding(staging, kind, change, heldBy ? isHeld : isChanged);
  staging.find({ ...finding, value: heldBy ?? finding.value });
}
