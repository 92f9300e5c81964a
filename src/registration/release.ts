import { auctionStart, newAuction } from '../auction/start.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import type { DomainName } from '../domain/name.ts';
import { loadDomains } from '../domain/read.ts';
import { domainRemoval } from '../domain/remove.ts';
import { type Change, followedBy, type Origin, write } from '../write.ts';
import { isNameUnchanged, readNameState } from './name-state.ts';
import { obstacle } from './register.ts';

/**
 * Removes the domain and starts the auction of its name, in one batch; returns whether there was a domain. Does nothing if
 * there is none. Throws `conflict` if the name must not be put up for auction.
 */
export async function releaseDomain(
  db: Database,
  origin: Origin,
  { name, punycode }: DomainName,
): Promise<boolean> {
  const { at } = origin.request;
  const look = async () => {
    const state = await readNameState(db, name, at);
    const present = state.isRegistered ? (await loadDomains(db, [name])).get(name) : undefined;
    return { state, present };
  };
  const judge = ({ state, present }: Awaited<ReturnType<typeof look>>): Change<boolean> => {
    const removal = domainRemoval(db, origin, name, present);
    if (!present) return { ...removal, outcome: false };
    if (state.isBlocked) throw obstacle(name, 'is blocked');
    if (state.dispute) throw obstacle(name, 'is disputed');
    if (state.reservation) throw obstacle(name, 'is reserved');
    if (state.auction) throw obstacle(name, `has an auction that is ${state.auction.status}`);
    const change: Change<boolean> = {
      ...removal,
      onlyIf: isNameUnchanged(name, state.newestEntry),
      outcome: true,
      onViolation: (error) => (isUniqueViolation(error, 'auctions.name') ? 'again' : undefined),
    };
    const next = newAuction({ name, punycode }, null, at);
    return followedBy(change, (isWritten) => auctionStart(db, origin, next, isWritten));
  };
  return (await write(db, origin.request, { look, judge })).outcome;
}
