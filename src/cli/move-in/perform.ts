import { type Form, type Kind, keyOf } from '../../move-in/kind.ts';
import { heldKinds, nameKinds } from '../../move-in/kinds.ts';
import { type RowChange, writeForms } from '../../move-in/write.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
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
 * of, is left and becomes a conflict. Returns how many these are for each kind and action.
 */
export async function performPlan(
  { db, origin }: Pick<Registry, 'db' | 'origin'>,
  staging: Staging,
): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  const actor = { type: 'move_in', name: `move-in (${origin.actor.name})` } as const;
  for (const { kind, actions } of steps) {
    for (const action of actions) {
      const planned = staging.planned(kind, action);
      if (planned.length === 0) continue;
      for (const chunk of inChunks(`${kind.name}: ${action}`, planned)) {
        const others = await writeForms(db, { ...origin, actor }, kind, chunk);
        for (const { change, here } of others) {
          const why = reasonOf(change, here);
          const key = keyOf(kind, (change.to ?? change.from)!);
          const place = { file: kind.name, line: staging.lineOf(kind, key), key };
          staging.find({ ...place, column: null, value: null, done: 'conflict', why });
        }
        const name = `${kind.name} ${action}`;
        if (others.length > 0) left.set(name, (left.get(name) ?? 0) + others.length);
      }
    }
  }
  return left;
}

function reasonOf({ action, from }: RowChange, here: Form | undefined): string {
  if (action === 'add' || action === 'replace')
    return 'another row here has a value that only one may have';
  const isAsCompared = here && JSON.stringify(here) === JSON.stringify(from);
  if (!isAsCompared) return 'somebody else changed it just now';
  if (action === 'remove') return 'contacts, domains or API users here still belong to it';
  return 'another row here has a value that only one may have';
}
