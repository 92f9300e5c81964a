import type { Database } from '../database/open.ts';
import { ListBody } from './body.ts';
import { auctionPages, retainedPages } from './entries.ts';
import { type ListName, retainedListNames, type Source } from './source.ts';

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
 * Builds the lists as their source is now, whatever number of retained lists in one pass over the names.
 * Holds a page of rows and the compressed bodies, never an uncompressed one.
 */
export async function buildLists(
  db: Database,
  lists: readonly ListName[],
  source: Source,
): Promise<Build> {
  const build: Build = new Map();
  if (lists.includes('auctions')) await buildAuctions(db, source, build);
  const retained = retainedListNames.filter((list) => lists.includes(list));
  if (retained.length > 0) await buildRetained(db, retained, source, build);
  return build;
}

/** The field names are those of the public interface: what is stored is what it answers with. */
async function buildAuctions(db: Database, source: Source, build: Build): Promise<void> {
  const body = new ListBody('auctions', 'auctions');
  await fill([body], source, build, async () => {
    for await (const page of auctionPages(db)) {
      for (const [name, punycode] of page) {
        body.add(
          `{"domain_name":${JSON.stringify(name)},"punycode_domain_name":${JSON.stringify(punycode)}}`,
        );
      }
      await body.flush();
    }
  });
}

async function buildRetained(
  db: Database,
  lists: readonly (typeof retainedListNames)[number][],
  source: Source,
  build: Build,
): Promise<void> {
  const bodies = new Map(lists.map((list) => [list, new ListBody(list, 'domains')]));
  const all = bodies.get('all');
  await fill([...bodies.values()], source, build, async () => {
    for await (const page of retainedPages(db, source.day)) {
      for (const [name, punycode, status] of page) {
        const entry = `{"name":${JSON.stringify(name)},"status":"${status}","punycode_name":${JSON.stringify(punycode)}}`;
        all?.add(entry);
        bodies.get(status)?.add(entry);
      }
      await Promise.all([...bodies.values()].map((body) => body.flush()));
    }
  });
}

/** Finishes the bodies once they are filled; lets go of all of them if the filling fails. */
async function fill(
  bodies: ListBody[],
  source: Source,
  build: Build,
  addEntries: () => Promise<void>,
): Promise<void> {
  try {
    await addEntries();
  } catch (error) {
    await Promise.all(bodies.map((body) => body.abandon()));
    throw error;
  }
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
}
