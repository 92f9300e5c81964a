import type { Database } from '../database/open.ts';
import { ListBody } from './body.ts';
import { auctionPages, retainedPages } from './entries.ts';
import { type ListName, publicLists, shows } from './lists.ts';
import type { Source } from './source.ts';

/** A list's finished response body. */
export interface BuiltList {
  /** Gzip. */
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  count: number;
  sourceVersion: string;
}

/** A list that could not be built has its error in place of its body. */
export type Build = Map<ListName, BuiltList | Error>;

/**
 * Builds the lists as their source is now, all lists of retained names in one pass over the names. Holds a page of
 * rows and the compressed bodies, never an uncompressed one.
 */
export async function buildLists(
  db: Database,
  lists: readonly ListName[],
  source: Source,
): Promise<Build> {
  const bodies = lists.map((list) => new ListBody(list, publicLists[list].field));
  const [ofAuctions, ofNames] = [
    bodies.filter(({ list }) => publicLists[list].entries === 'auctions'),
    bodies.filter(({ list }) => publicLists[list].entries !== 'auctions'),
  ];
  try {
    if (ofAuctions.length > 0) await addAuctions(db, ofAuctions);
    if (ofNames.length > 0) await addNames(db, ofNames, source.day);
  } catch (error) {
    await Promise.all(bodies.map((body) => body.abandon()));
    throw error;
  }
  const build: Build = new Map();
  for (const body of bodies) {
    const sourceVersion = source.versions[body.list];
    build.set(
      body.list,
      await body.finish().then(
        (finished) => ({ ...finished, sourceVersion }),
        (error: Error) => error,
      ),
    );
  }
  return build;
}

/** Builds one list as its source is now. Throws if its body is larger than KV takes. */
export async function buildList(db: Database, list: ListName, source: Source): Promise<BuiltList> {
  const [built] = (await buildLists(db, [list], source)).values();
  if (!built) throw new Error(`list ${list} was not built`);
  if (built instanceof Error) throw built;
  return built;
}

/** The field names are those of the public interface, because what is stored is what it answers with. */
async function addAuctions(db: Database, bodies: readonly ListBody[]): Promise<void> {
  for await (const page of auctionPages(db)) {
    for (const [name, punycode] of page) {
      const entry = `{"domain_name":${JSON.stringify(name)},"punycode_domain_name":${JSON.stringify(punycode)}}`;
      for (const body of bodies) body.add(entry);
    }
    await Promise.all(bodies.map((body) => body.flush()));
  }
}

async function addNames(db: Database, bodies: readonly ListBody[], day: string): Promise<void> {
  for await (const page of retainedPages(db, day)) {
    for (const [name, punycode, status] of page) {
      const entry = `{"name":${JSON.stringify(name)},"status":"${status}","punycode_name":${JSON.stringify(punycode)}}`;
      for (const body of bodies) if (shows(body.list, status)) body.add(entry);
    }
    await Promise.all(bodies.map((body) => body.flush()));
  }
}
