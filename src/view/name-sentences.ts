import { type Consumed, untilClosed } from '../../drizzle/schema.ts';
import { RegistryError } from '../base/error.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { type Auction, hasPassed, holdingStatuses } from '../name/auction/read.ts';
import type { ListedDomain } from '../name/domain/operator/list.ts';
import type { StoredDomain } from '../name/domain/read.ts';
import type { RetainedDomain } from '../name/retained/list.ts';
import { hasEnded } from '../name/retained/save.ts';
import type { ShownDispute } from './dispute.ts';
import { joinThings } from './sentence.ts';

interface Facts {
  registered: readonly (StoredDomain & Pick<ListedDomain, 'name'>)[];
  /** Entries of the domain's creation, and of changes of its registrar or holder. The newest first. */
  milestones: readonly HistoryEntry[];
  retained: readonly RetainedDomain[];
  /** The newest first. */
  disputes: readonly ShownDispute[];
  /** The newest first. */
  auctions: readonly Auction[];
  /** The newest first. */
  entries: readonly HistoryEntry[];
  /** How people reach the registrar of the name. */
  channels: readonly string[];
}

/**
 * The strongest fact first. The last sentence says what a registration needs now, unless somebody has the name. `kept`
 * is for staff alone.
 */
export function nameSentences(
  name: string,
  facts: Facts,
  needs: Consumed | RegistryError,
): Record<'sentences' | 'kept', Sentence[]> {
  const retained = facts.retained.filter((each) => !hasEnded(each, currentTime()));
  const isStatus = (wanted: string) => retained.filter(({ status }) => status === wanted);
  const present = facts.disputes.filter(({ state }) => state === 'in force');
  const stronger = [
    ...facts.registered.map(registeredSentence),
    ...isStatus('blocked').map(retainedSentence),
    ...present.map(disputeSentence),
  ];
  const found = [
    ...stronger,
    ...isStatus('reserved').map(retainedSentence),
    ...holdingAuction(facts).map((one) =>
      stronger.length > 0 ? otherAuctionSentence(one) : auctionSentence(one),
    ),
    ...facts.disputes.filter(({ state }) => state === 'to come').map(disputeSentence),
  ];
  if (found.length === 0) found.push(unlistedSentence(facts));
  if (present.length === 0) found.push(...closingSentence(facts));
  const sentences: Sentence[] = found.map((one, index) => [index === 0 ? name : 'It', ...one]);
  sentences.push(...facts.registered.map((one) => recordSentence(one, facts.milestones)));
  if (facts.channels.length > 0)
    sentences.push([`Its registrar can be reached at ${facts.channels.join(' or ')}.`]);
  const kept = commentSentences(retained, present);
  if (facts.registered.length > 0) return { sentences, kept };
  const [newest] = facts.auctions;
  if (newest && soldStatuses.includes(newest.status))
    sentences.push(['Only the auction centre knows the bidders and the winner.']);
  return { sentences: [...sentences, needsSentence(needs)], kept };
}

function registeredSentence({ registrar, registrant, ...others }: StoredDomain): Sentence {
  const roles = { held: registrant ? [registrant] : [], 'administrative contact': others.admin };
  const people = Object.entries({ ...roles, 'technical contact': others.tech });
  return [
    ' is registered with ',
    { kind: 'registrar', key: registrar },
    ...people.flatMap(([role, keys]): Sentence => {
      const contacts = joinThings(keys.map((key) => ({ kind: 'contact', key })));
      return keys.length === 0
        ? []
        : [role === 'held' ? ', and held by ' : `; ${role}: `, ...contacts];
    }),
    '.',
  ];
}

/** An imported domain is older than its record, and the time of one that moved in is the former registry's. */
function recordSentence(
  { createdAt }: StoredDomain,
  milestones: readonly HistoryEntry[],
): Sentence {
  const creation = milestones.find(({ action }) => action === 'create');
  const life = creation ? milestones.slice(0, milestones.indexOf(creation)) : milestones;
  const lastChangeOf = (field: string) => life.find(({ changes }) => field in changes)?.occurredAt;
  const [moved, given] = [lastChangeOf('registrar'), lastChangeOf('registrant')];
  const since = { instant: createdAt };
  const isOfFormer = creation?.actorType === 'move_in';
  const isRestored = creation && !isOfFormer && creation.occurredAt !== createdAt;
  const again = isRestored ? sentence`, and again since ${{ instant: creation.occurredAt }}` : '';
  return [
    ...(isOfFormer
      ? sentence`The former registry had it on record since ${since}`
      : sentence`It is on record here since ${since}`),
    ...again,
    ...(moved ? sentence`; its registrar last changed on ${{ instant: moved }}` : ''),
    ...(given ? sentence`; the contact of its holder last changed on ${{ instant: given }}` : ''),
    '.',
  ];
}

function retainedSentence({ status, lastDay }: RetainedDomain): Sentence {
  const end = lastDay ? sentence`; the last day of this is ${{ day: lastDay }}` : '';
  return sentence` is ${status}${end}.`;
}

function disputeSentence({ state, firstDay, lastDay, createdAt }: ShownDispute): Sentence {
  const is = state === 'in force' ? ' is disputed' : ' has a dispute to come';
  const days = daysSentence(firstDay, lastDay);
  return sentence`${is}: ${days} unless it is closed before; opened on ${{ instant: createdAt }}.`;
}

function commentSentences(
  retained: readonly RetainedDomain[],
  disputes: readonly ShownDispute[],
): Sentence[] {
  return [...retained, ...disputes].flatMap((one) => {
    const { comment } = one;
    const initiator = 'initiator' in one ? one.initiator : null;
    if (!comment && !initiator) return [];
    const by = initiator ? sentence` by “${{ text: initiator }}”` : '';
    const why = comment ? sentence` with the comment “${{ text: comment }}”` : '';
    const status = 'status' in one ? one.status : 'disputed';
    return [sentence`Do not tell the caller: it is ${status}${by}${why}.`];
  });
}

function daysSentence(firstDay: string, lastDay: string): Sentence {
  const isOpen = lastDay === untilClosed;
  const last = isOpen ? 'no last day' : sentence`last day ${{ day: lastDay }}`;
  return sentence`first day ${{ day: firstDay }}, ${last}`;
}

/** Of the newest dispute. */
function closingSentence({ disputes: [newest], entries }: Facts): Sentence[] {
  if (!newest || newest.closedAt === null) return [];
  const { closedAt, firstDay, lastDay } = newest;
  const closing = entries.find(({ subject, changes }) => {
    const change = changes.closedAt;
    return subject === 'dispute' && change && 'to' in change && change.to === closedAt;
  });
  const { to: reason } = { to: undefined, ...closing?.changes.reason };
  const why = reason === undefined ? '' : `: ${reason}`;
  const days = daysSentence(firstDay, lastDay);
  // If its opening again was taken back, it was closed then, though the first time is on record.
  const instant = closing?.action === 'update' ? closing.occurredAt : closedAt;
  return [sentence` had a dispute (${days}) that was closed on ${{ instant }}${why}.`];
}

const isHeld = ({ status }: Auction) => (holdingStatuses as readonly string[]).includes(status);
const holdingAuction = ({ auctions }: Facts) => auctions.filter(isHeld).slice(0, 1);

/** Of auctions that had a winner. */
const soldStatuses: readonly Auction['status'][] = [
  'awaiting_payment',
  'payment_received',
  'payment_not_received',
  'domain_not_registered',
];

function auctionSentence({ status, createdAt, registrationDeadline: value }: Auction): Sentence {
  if (status === 'started') {
    return sentence` is in auction; this auction was opened on ${{ instant: createdAt }}.`;
  }
  const paid = status === 'awaiting_payment' ? 'is not paid' : 'is paid';
  const sold = `was sold at auction and ${paid}.`;
  if (value === null) return [` ${sold}`];
  const verb = hasPassed(value, currentTime()) ? 'was' : 'is';
  const day = { field: 'registration_deadline', value };
  return sentence` ${verb} to be registered by ${day}, which the auction centre sets: it ${sold}`;
}

const otherAuctionSentence = ({ status: value }: Auction): Sentence =>
  sentence` has an auction as well, with the status ${{ field: 'status', value }}.`;

function unlistedSentence({ auctions: [last] }: Facts): Sentence {
  const status = last && { field: 'status', value: last.status };
  const ended = status
    ? sentence`; its last auction that was not cancelled ended as ${status}`
    : '';
  return sentence` is not registered here, and on none of the lists${ended}.`;
}

function needsSentence(needs: Consumed | RegistryError): Sentence {
  if (needs instanceof RegistryError) return [`Its registration is refused now: ${needs.message}.`];
  const secrets = [
    needs.disputeId !== undefined && 'the password of the dispute',
    needs.auction && 'the registration code of the auction',
    needs.password !== undefined && 'the password of the reservation',
  ].filter(Boolean);
  if (secrets.length === 0) return ['Nothing here prevents its registration.'];
  return [`Its registration needs ${secrets.join(' and ')} now.`];
}
