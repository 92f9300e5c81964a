import { untilClosed } from '../../drizzle/schema.ts';
import type { Problem } from '../base/error.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { type Auction, hasPassed } from '../name/auction/read.ts';
import type { ListedDomain } from '../name/domain/operator/list.ts';
import type { Recorded } from '../name/domain/read.ts';
import type { RetainedDomain } from '../name/retained/list.ts';
import { hasEnded } from '../name/retained/save.ts';
import type { ShownDispute } from './dispute.ts';
import { joinThings } from './sentence.ts';

interface Facts {
  registered: readonly (Recorded & Pick<ListedDomain, 'name'>)[];
  retained: readonly RetainedDomain[];
  disputes: readonly ShownDispute[];
  /** The newest first. */
  auctions: readonly Auction[];
  /** The newest first. */
  entries: readonly HistoryEntry[];
  /** How people reach the registrar of the name. */
  channels: readonly string[];
}

/** The last one says whether a registration without a secret would be refused, and why. */
export function nameSentences(
  name: string,
  facts: Facts,
  refusal: Problem | undefined,
): Sentence[] {
  const sentences = [
    ...facts.auctions.flatMap(auctionSentence).slice(0, 1),
    ...facts.registered.map(registeredSentence),
    ...facts.retained
      .filter((retained) => !hasEnded(retained, currentTime()))
      .map(retainedSentence),
    ...facts.disputes.flatMap(disputeSentence),
  ];
  if (sentences.length === 0) sentences.push(unlistedSentence(facts));
  sentences.push(...closingSentence(facts));
  const sentencesOfName = sentences.map((one, index) => [index === 0 ? name : 'It', ...one]);
  if (facts.channels.length > 0)
    sentencesOfName.push([`Its registrar can be reached at ${facts.channels.join(' or ')}.`]);
  if (facts.auctions.length > 0)
    sentencesOfName.push(['Only the auction centre knows the bidders and the winner.']);
  if (refusal?.obstacle === 'registered') return sentencesOfName;
  return [
    ...sentencesOfName,
    refusal
      ? [`A registration without a secret is refused: ${refusal.message}.`]
      : ['Nothing here prevents its registration.'],
  ];
}

function registeredSentence({ registrar, registrant, createdAt, ...others }: Recorded): Sentence {
  const roles = { held: registrant ? [registrant] : [], 'administrative contact': others.admin };
  const people = Object.entries({ ...roles, 'technical contact': others.tech });
  return [
    ' has been registered with ',
    { kind: 'registrar', key: registrar },
    ' since ',
    { instant: createdAt },
    ...people.flatMap(([role, keys]): Sentence => {
      const contacts = joinThings(keys.map((key) => ({ kind: 'contact', key })));
      return keys.length === 0
        ? []
        : [role === 'held' ? ', and held by ' : `; ${role}: `, ...contacts];
    }),
    '.',
  ];
}

function retainedSentence({ status, lastDay }: RetainedDomain): Sentence {
  const end = lastDay ? sentence` until the end of ${{ day: lastDay }}` : '';
  return sentence` is ${status}${end}.`;
}

function disputeSentence({ state, firstDay, lastDay }: ShownDispute): Sentence[] {
  const start = { day: firstDay };
  if (state === 'to come') return [sentence` will be disputed from ${start}.`];
  if (state !== 'in force') return [];
  const isOpen = lastDay === untilClosed;
  const end = isOpen ? 'the dispute is closed' : sentence`the end of ${{ day: lastDay }}`;
  return [sentence` has been disputed since ${start}, and will be until ${end}.`];
}

/** Of the newest dispute, if none is in force. */
function closingSentence({ disputes, entries }: Facts): Sentence[] {
  const closedAt = disputes[0]?.closedAt;
  if (!closedAt || disputes.some(({ state }) => state === 'in force')) return [];
  const closing = entries.find(({ subject, changes }) => {
    const change = changes.closedAt;
    return subject === 'dispute' && change && 'to' in change && change.to === closedAt;
  });
  const { to: reason } = { to: undefined, ...closing?.changes.reason };
  const why = reason === undefined ? '' : `: ${reason}`;
  const closed = { instant: closedAt };
  return [sentence` was disputed until the dispute was closed on ${closed}${why}.`];
}

function auctionSentence({ status, createdAt, ...auction }: Auction): Sentence[] {
  const deadline = auction.registrationDeadline;
  const day = { field: 'registration_deadline', value: deadline };
  const end = deadline ? sentence` until ${day}` : '';
  const isLate = deadline !== null && hasPassed(deadline, currentTime());
  const must = isLate ? 'should have been' : 'must be';
  const first = deadline ? sentence` ${must} registered by ${day}, and` : '';
  const sentences: Partial<Record<Auction['status'], Sentence>> = {
    started: sentence` has been in auction since ${{ instant: createdAt }}: it goes to the highest bidder, at the auction centre.`,
    awaiting_payment: sentence`${first} is not paid yet: it was sold at auction, and nobody but its winner will get it.`,
    payment_received: isLate
      ? sentence` was sold at auction and is paid, but its winner could register it only${end}.`
      : sentence` was sold at auction and is paid: only its winner can register it, with the registration code${end}.`,
  };
  const one = sentences[status];
  return one === undefined ? [] : [one];
}

function unlistedSentence({ auctions }: Facts): Sentence {
  const [last] = auctions;
  const status = last && { field: 'status', value: last.status };
  const ended = status ? sentence`; its last auction ended as ${status}` : '';
  return sentence` is not registered here, and on none of the lists${ended}.`;
}
