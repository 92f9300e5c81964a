import { type Form, type Kind, keyOf, uniqueValues } from '../../move-in/kind.ts';
import type { RowChange } from '../../move-in/write.ts';
import type { Finding, Staging } from './staging.ts';

const isTaken = 'another row here has a value that only one may have';

/** Leaves what is to get a value that another row here has, so nothing can refer to a new one of these. */
export function settleCollisions(staging: Staging, kind: Kind): void {
  if (!kind.unique) return;
  for (const action of ['add', 'replace'] as const) {
    for (const change of staging.changes(kind, action)) {
      const key = keyOf(kind, change.to!);
      const holders = uniqueValues(kind, change.to!).map(({ text }) =>
        staging.taker(kind.name, `here ${text}`),
      );
      if (holders.every((holder) => holder === undefined || holder === key)) continue;
      staging.unplan(kind, action, key);
      staging.find(leftFinding(staging, kind, change, isTaken));
    }
  }
}

/** The row stays here as it is. */
export function keep(staging: Staging, kind: Kind, here: Form): void {
  staging.expect(kind, keyOf(kind, here));
  holdValues(staging, kind, here);
}

/** Marks the values that no other row can have while the one here has them. */
export function holdValues(staging: Staging, kind: Kind, here: Form): void {
  for (const { text } of uniqueValues(kind, here)) {
    staging.take(kind.name, `here ${text}`, keyOf(kind, here));
  }
}

/** A change that is not made, as a conflict with what is here. */
export function leftFinding(
  staging: Staging,
  kind: Kind,
  { from, to }: Pick<RowChange, 'from' | 'to'>,
  why: string,
): Finding {
  const key = keyOf(kind, (to ?? from)!);
  return {
    ...{ file: kind.name, line: staging.given(kind, key)?.line ?? null, key, column: null },
    value: differingValues(staging, kind, to, from),
    ...{ done: 'conflict', why, registrar: to?.registrar ?? null },
  };
}

/** The columns in which a row of the files differs from what is here. */
export function differingColumns(given: Form, here: Form | null): string[] {
  return Object.keys(given).filter((column) => given[column] !== (here?.[column] ?? null));
}

/** The differing values of the row in the files, as JSON for the report; null if the files lack the row. */
function differingValues(
  staging: Staging,
  kind: Kind,
  to: Form | null,
  here: Form | null,
): string | null {
  if (!to) return null;
  const given = staging.given(kind, keyOf(kind, to))?.form ?? to;
  const shown = [...Object.keys(given), ...(kind.part?.fills ?? [])];
  const values = differingColumns(to, here)
    .filter((column) => shown.includes(column))
    .map((column) => [column, kind.columns[column]?.isSecret ? null : to[column]]);
  return JSON.stringify(Object.fromEntries(values));
}
