/** What a request has cost so far, in the units that the platform counts. */
export interface Meter {
  /** Round trips to D1, however many statements each carried. */
  d1: number;
  kvReads: number;
  kvWrites: number;
}

export function newMeter(): Meter {
  return { d1: 0, kvReads: 0, kvWrites: 0 };
}

/** The namespace, with what is read from it and written to it counted. */
export function meteredNamespace(
  kv: KVNamespace,
  meter: Meter,
): Pick<KVNamespace, 'getWithMetadata' | 'put'> {
  return {
    getWithMetadata: ((...given: Parameters<KVNamespace['getWithMetadata']>) => {
      meter.kvReads += 1;
      return kv.getWithMetadata(...given);
    }) as KVNamespace['getWithMetadata'],
    put: (...given) => {
      meter.kvWrites += 1;
      return kv.put(...given);
    },
  };
}
