import { and, type SQL } from 'drizzle-orm';
import type { HistorySubject } from '../../drizzle/schema.ts';
import { type Problem, RegistryError, throwProblems } from '../base/error.ts';
import { nothingSince } from '../change/history/search.ts';
import type { Operation } from '../change/origin.ts';
import { changeEach } from '../change/write-many.ts';
import { disputedSentence, findDisputedDomains } from '../contact/disputed.ts';
import { noIdentitySince } from '../contact/entries.ts';
import { columnsOfClaim } from '../contact/fields.ts';
import { findAuctionObstacles } from '../name/auction/operator/obstacles.ts';
import { recordedName } from '../name/domain/operator/name.ts';
import { canReturn } from './contact.ts';
import { type DomainRows, judgeRestoredDomains } from './domain.ts';
import {
  type EntryRange,
  findEntryRange,
  isChangeOver,
  type RequestEntry,
  readEntriesOf,
} from './entries.ts';
import { reversalChanges } from './kinds.ts';
import {
  findLinks,
  linkProblems,
  mixedProblems,
  registrarProblems,
  reversalProblems,
} from './problems.ts';
import { type Reversal, returning, reversalOf } from './reversal.ts';

interface Page {
  reversals: Reversal[];
  /** The checked rows, which `revert` writes. */
  domains: DomainRows;
  /** Obstacles of restored names that do not prevent the revert. */
  warnings: string[];
  /** Changes that are left as they are, with `skipChanged`. */
  left: Problem[];
  /** The newest history entry before the page was read. */
  seen: number;
  /** The first history entry of the page. */
  start: number;
}

/** The first page, with the warnings of all, and what is left of all. */
export interface RevertPlan extends Page {
  request: string;
  range: EntryRange;
  count: number;
  subjects: ReadonlySet<HistorySubject>;
  /** What the first page leaves. */
  leftFirst: Problem[];
  /** Changes that earlier reverts have taken back, and their requests. */
  takenBack: { count: number; requests: string[] };
}

interface RevertOptions {
  /** Leaves what somebody has changed since, instead of refusing it. */
  skipChanged?: boolean | undefined;
}

/**
 * Plans the reversal of all changes that one command of the operator made, except those that an interrupted revert has
 * taken back. Throws `not_found` for a request that the history does not have; otherwise a problem for each change that
 * cannot be taken back, of the newest 5,000 changes that have any: `invalid` for its kind, `linked` for a contact that
 * was added and to which a domain refers, `gone` where the values or the registrar of a contact are gone,
 * `changed_meanwhile` where something has changed since.
 */
export async function planRevert(
  operation: Operation,
  request: string,
  { within, skipChanged = false }: RevertOptions & { within?: SQL } = {},
): Promise<RevertPlan> {
  const range = await findEntryRange(operation.db, request, within);
  let first: Page | undefined;
  let count = 0;
  const subjects = new Set<HistorySubject>();
  const warnings: string[] = [];
  const left: Problem[] = [];
  const takenBack = { count: 0, requests: new Set<string>() };
  const note = ({ newer }: RequestEntry) => {
    if (newer?.clientReference !== request) return;
    takenBack.count++;
    takenBack.requests.add(newer.requestId!);
  };
  try {
    for await (const page of planPages(operation, request, range, skipChanged, note)) {
      first ??= page;
      count += page.reversals.length;
      for (const { subject } of page.reversals) subjects.add(subject);
      for (const warning of page.warnings) warnings.push(warning);
      for (const problem of page.left) left.push(problem);
    }
  } catch (error) {
    throw error instanceof RegistryError && takenBack.count > 0
      ? withRest(error, request, takenBack)
      : error;
  }
  const requests = [...takenBack.requests];
  const all = { request, range, count, subjects, left, leftFirst: first?.left ?? [], warnings };
  if (first) return { ...first, ...all, takenBack: { ...takenBack, requests } };
  // Without any change that is left, a page of all of them says why.
  if (takenBack.count === 0) {
    const read = await readEntriesOf(operation.db, request, range);
    await planPage(operation, read, range, false);
  }
  const nothing = { reversals: [], domains: new Map(), seen: 0, start: range.first };
  return { ...nothing, ...all, takenBack: { ...takenBack, requests } };
}

/** Says first what an earlier revert has taken back, and how to take back the rest. */
function withRest(
  { problems }: RegistryError,
  request: string,
  { count, requests }: { count: number; requests: ReadonlySet<string> },
): RegistryError {
  const by = [...requests].join(', ');
  const isSkippable = problems.every(({ reason }) => reason !== 'invalid');
  const message = `an earlier revert has taken back ${count} of the changes (request ${by}), and these cannot follow`;
  const skip = { command: ['history', 'revert', request, '--skip-changed'] };
  return new RegistryError([
    { reason: problems[0].reason, message, ...(isSkippable && skip) },
    ...problems,
  ]);
}

/**
 * Reads each page when the one before has been used, the newest changes first: a contact goes after the domains that refer
 * to it.
 */
async function* planPages(
  operation: Operation,
  request: string,
  range: EntryRange,
  skipChanged: boolean,
  /** Gets each change that is over. */
  note: (entry: RequestEntry) => void = () => {},
): AsyncGenerator<Page, void> {
  const restored = new Set<string>();
  for (let { last } = range; last >= range.first; ) {
    const read = await readEntriesOf(operation.db, request, { ...range, last });
    last = (read.entries[0]?.id ?? range.first) - 1;
    const entries = read.entries.filter((entry) => !isChangeOver(entry, request));
    for (const entry of read.entries) if (isChangeOver(entry, request)) note(entry);
    if (entries.length === 0) continue;
    const page = await planPage(operation, { ...read, entries }, range, skipChanged, restored);
    for (const { subject, key } of page.reversals) if (subject === 'domain') restored.add(key);
    yield page;
  }
}

/**
 * Throws the problems of the entries, but those that are left for having changed. `restored` are the domains of earlier
 * pages.
 */
async function planPage(
  operation: Operation,
  { seen, entries }: Awaited<ReturnType<typeof readEntriesOf>>,
  { isTransfer }: EntryRange,
  skipChanged: boolean,
  restored: ReadonlySet<string> = new Set(),
): Promise<Page> {
  const { db } = operation;
  const all = entries.map((entry) => ({ ...reversalOf(entry), entry }));
  const left: Problem[] = [];
  const keep = <Some extends Reversal>(
    some: readonly Some[],
    problemsOf: (one: Some) => Problem[],
  ) =>
    some.filter((one) => {
      const problems = skipChanged ? problemsOf(one) : [];
      if (problems.length === 0 || problems.some(({ reason }) => reason === 'invalid')) return true;
      left.push(...problems);
      return false;
    });
  // A copy that another transfer has used again stays.
  const withoutUsed = <Some extends Reversal>(
    some: readonly Some[],
    links: ReadonlyMap<string | null, string>,
  ) => some.filter(({ uuid }) => !(isTransfer && links.has(uuid)));
  const own = withoutUsed(all, await findLinks(db, all, restored));
  const unchanged = keep(own, ({ entry }) => reversalProblems(entry, entry.newer));
  throwProblems(unchanged.flatMap(({ entry }) => reversalProblems(entry, entry.newer)));
  const domains = await judgeRestoredDomains(operation, unchanged);
  const obstacles = Map.groupBy(
    [
      ...(await registrarProblems(db, unchanged)),
      ...(await auctionProblems(operation, unchanged)),
      ...domains.problems,
    ],
    ({ record }) => record,
  );
  const possible = keep(unchanged, (one) => obstacles.get(one) ?? []);
  // A domain that is left still refers to its copies.
  const links = await findLinks(db, possible, restored);
  const reversals = keep(withoutUsed(possible, links), (one) => linkProblems([one], links));
  throwProblems(mixedProblems(reversals));
  throwProblems(linkProblems(reversals, links));
  throwProblems(reversals.flatMap((one) => obstacles.get(one) ?? []));
  const inAuction = returning(reversals, 'auction').map(({ key }) => recordedName(key));
  const againstAuctions = await findAuctionObstacles(operation, inAuction, []);
  const registered = returning(reversals, 'domain').map(({ key }) => recordedName(key));
  const againstDomains = await findAuctionObstacles(operation, registered, ['registered']);
  const warnings = [...againstAuctions, ...againstDomains].map(({ message }) => message);
  warnings.push(...(await disputeWarnings(operation, reversals)));
  return { reversals, domains: domains.rows, warnings, left, seen, start: entries[0]!.id };
}

/** A problem for each auction that something stands in the way of. */
async function auctionProblems(operation: Operation, reversals: readonly Reversal[]) {
  const auctions = new Map(returning(reversals, 'auction').map((one) => [one.key, one]));
  const names = Array.from(auctions.keys(), recordedName);
  const found = await findAuctionObstacles(operation, names, ['reserved', 'disputed']);
  return found.map((problem) => ({ ...problem, record: auctions.get(problem.record.name)! }));
}

/** Calls `write` for each batch, with the number of its changes. */
type WriteBatch = (count: number, write: () => Promise<void>) => Promise<void>;

/**
 * Makes the changes of a plan under a request of its own, whose history names the request that it takes back. Each
 * 5,000 changes are one batch, all or none. Returns what it has left. Throws what `planRevert` throws if something has
 * changed since; a plan and a revert after that continue with the rest.
 */
export async function revert(
  operation: Operation,
  plan: RevertPlan,
  writeBatch: WriteBatch = (_, write) => write(),
  { skipChanged = false }: RevertOptions = {},
): Promise<Problem[]> {
  const { request, range, start } = plan;
  const rest = { ...range, last: start - 1 };
  const left = [...plan.leftFirst];
  await writeBatch(plan.reversals.length, () => revertPage(operation, request, plan));
  for await (const page of planPages(operation, request, rest, skipChanged)) {
    await writeBatch(page.reversals.length, () => revertPage(operation, request, page));
    left.push(...page.left);
  }
  return left;
}

async function revertPage(
  { db, origin }: Operation,
  request: string,
  { seen, reversals, domains }: Page,
): Promise<void> {
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  // Deletes contacts after their domains.
  const isOfContacts = ([some]: Reversal[]) => Number(some!.subject === 'contact');
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ].sort((one, other) => isOfContacts(one) - isOfContacts(other));
  const bySubject = Map.groupBy(reversals, ({ subject }) => subject);
  const inAuction = returning(reversals, 'auction').map(({ key }) => key);
  const isAsPlanned = and(
    nothingSince(seen, 'domain', inAuction),
    nothingSince(seen, 'retained_domain', inAuction),
    nothingSince(seen, 'dispute', [...domains.keys()]),
    // Restores domains only while their contacts belong to the same persons.
    bySubject.has('domain') ? noIdentitySince(seen) : undefined,
    ...Array.from(bySubject, ([subject, some]) => {
      const keys = some.map(({ key }) => key);
      return nothingSince(seen, subject, keys);
    }),
    ...returning(reversals, 'contact').map((reversal) => canReturn(reversal, seen)),
  );
  try {
    const reverting = { db, origin: own };
    const reverted = await Promise.all(
      kinds.map((some) => reversalChanges(reverting, some, domains)),
    );
    await changeEach(reverting, { reverted: reverted.flat() }, isAsPlanned);
  } catch (error) {
    // Another plan says what has changed.
    if (!(error instanceof RegistryError)) throw error;
    const { count, takenBack } = await planRevert({ db, origin }, request);
    if (count > 0) throw error;
    const by = takenBack.requests.join(', ');
    throw new RegistryError('changed_meanwhile', `request ${by} has taken it back meanwhile`);
  }
}

/** Says which contacts of disputed domains would get another identity. */
async function disputeWarnings(
  { db, origin }: Operation,
  reversals: readonly Reversal[],
): Promise<string[]> {
  const corrected = reversals.filter(
    ({ subject, action, changes }) =>
      subject === 'contact' &&
      action === 'update' &&
      columnsOfClaim('identity').some((column) => column in changes),
  );
  const uuids = corrected.map(({ uuid }) => uuid!);
  const sentence = disputedSentence(await findDisputedDomains(db, uuids, origin.request.at));
  return sentence === undefined ? [] : [`the identity of a holder changes, and ${sentence}`];
}
