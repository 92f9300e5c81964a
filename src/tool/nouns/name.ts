import { and, desc, eq, inArray } from 'drizzle-orm';
import { auctions, history, retainedStatuses } from '../../../drizzle/schema.ts';
import { nameRulesOf } from '../../base/env.ts';
import { hostWithin } from '../../base/text/domain-name.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import { type NameInterval, readNameHistory } from '../../list/name-history/name-history.ts';
import { findDomainName, nameSubjects, namesAbove } from '../../name/domain/operator/name.ts';
import { loadDomains } from '../../name/domain/read.ts';
import { findOutside, findRuleProblems } from '../../name/domain/rules.ts';
import { type DomainName, domainNameOf } from '../../name/name.ts';
import { readNameState } from '../../name/registration/name-state.ts';
import { findObstacle } from '../../name/registration/register.ts';
import { findRetainedDomains } from '../../name/retained/operator/list.ts';
import { auctionsView } from '../../view/auction.ts';
import { plain, type Shown } from '../../view/columns.ts';
import { domainsView } from '../../view/domain.ts';
import { historyData } from '../../view/history.ts';
import { changeSentences, entrySentence } from '../../view/history-sentences.ts';
import { nameSentences } from '../../view/name-sentences.ts';
import { retainedView } from '../../view/retained.ts';
import { namingIn, type Sentence, sentenceText } from '../../view/sentence.ts';
import { timeText } from '../../view/words.ts';
import { reading } from '../command.ts';
import type { Registry } from '../registry.ts';
import { say } from '../report/output.ts';
import { verb } from '../run.ts';
import { rowsReport } from '../view.ts';
import { disputesView, readDisputes } from './dispute.ts';

/** Of each kind; a name has a few in its life. */
const maximumRows = 50;
/** Of the history; `history` shows more. */
const shownEntries = 10;

/**
 * Newest first. The text may be a web or e-mail address. Answers about the name above if nothing is on record of the name, but that name is
 * on record or may be registered.
 */
export async function findNameFacts(registry: Registry, text: string) {
  const asked = await findDomainName(registry.db, hostWithin(text));
  let facts = await readNameFacts(registry, asked);
  const { zones } = nameRulesOf(registry.env);
  for (const name of registrableAbove(asked.name, zones)) {
    if (facts.isOnRecord) break;
    const above = await readNameFacts(registry, domainNameOf(name));
    if (above.isOnRecord || zones.length > 0) facts = above;
  }
  const understood = text === facts.name ? undefined : `${text} is understood as ${facts.name}`;
  return { ...facts, understood };
}

/** Those that may be registered, the nearest first. With zones, it is one at most. */
function registrableAbove(name: string, zones: readonly string[]): string[] {
  const outside = findOutside(name, zones);
  if (outside) return 'above' in outside ? [outside.above] : [];
  return zones.length > 0 ? [] : namesAbove(name);
}

async function readNameFacts(registry: Registry, name: DomainName) {
  const { db, origin, env } = registry;
  const ofName = db.select().from(auctions).where(eq(auctions.name, name.name));
  const isAbout = and(inArray(history.subject, nameSubjects), eq(history.subjectKey, name.name));
  const [domains, retained, disputes, sold, intervals, entries, state] = await Promise.all([
    loadDomains(db, [name.name]),
    findRetainedDomains(
      db,
      retainedStatuses.map((status) => ({ ...name, status })),
    ),
    readDisputes(registry, name.name),
    ofName.orderBy(desc(auctions.id)).limit(maximumRows),
    readNameHistory(db, name.name, origin.request.at),
    listNewestEntries(db, isAbout, maximumRows),
    readNameState(db, name.name, origin.request.at),
  ]);
  const registered = [...domains.values()].map((domain) => ({ ...name, ...domain }));
  const facts = {
    ...{ registered, retained, entries, auctions: sold },
    disputes: disputes.slice(-maximumRows).reverse(),
    intervals: intervals.slice(-maximumRows).reverse(),
  };
  const isOnRecord = Object.values(facts).some((rows) => rows.length > 0);
  const [problem] = findRuleProblems([name], nameRulesOf(env));
  const refusal = problem ?? findObstacle(name.name, state, origin.request.at);
  const sentences = nameSentences(name.name, facts, refusal);
  const past = facts.intervals.filter(({ until }) => until !== null);
  return { name: name.name, ...facts, past, isOnRecord, sentences };
}

const intervalsView: Shown<NameInterval> = {
  name: 'statuses',
  columns: plain('status', 'from', 'until'),
  table: 'status from until',
};

/** Of a status that is over. */
export const intervalText = ({ status, from, until }: NameInterval) =>
  `${status === 'auction' ? 'in auction' : status}${from ? ` from ${timeText(from)}` : ''} until ${timeText(until!)}`;

export const nameCommand = verb(
  reading('name', 'name kohv.ee', 'name https://www.kohv.ee/', 'name kohv.ee --json')
    .description('Show everything that is true of a name now, and was')
    .argument('<name>', 'the name, or an address of a page or of e-mail with it'),
  async (registry, text) => {
    const { name, understood, sentences, entries, ...facts } = await findNameFacts(registry, text);
    if (understood) say(understood);
    const reports = [
      rowsReport(domainsView, facts.registered),
      rowsReport(retainedView, facts.retained),
      rowsReport(disputesView, facts.disputes),
      rowsReport(auctionsView, facts.auctions),
      rowsReport(intervalsView, facts.intervals),
    ];
    const data = Object.assign({ name }, ...reports.map(({ data }) => data));
    const nameOf = namingIn(registry.db);
    const linesOf = (indent: string, all: readonly Sentence[]) =>
      Promise.all(all.map(async (one) => indent + (await sentenceText(one, nameOf))));
    const happened = entries
      .slice(0, shownEntries)
      .map(async (entry) => [
        '',
        ...(await linesOf('', [[`${timeText(entry.occurredAt)}: `, ...entrySentence(entry)]])),
        ...(await linesOf('    ', changeSentences(entry))),
      ]);
    const was = facts.past.map((interval) => `  ${intervalText(interval)}`);
    return {
      data: { ...data, history: entries.map(historyData) },
      text: [
        (await linesOf('', sentences)).join(' '),
        was.length > 0 ? ['', 'Formerly, it was:', ...was] : [],
        ...(await Promise.all(happened)),
      ],
    };
  },
);
