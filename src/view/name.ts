import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import { auctions, domains, history, registrars, retainedStatuses } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { type Env, nameRulesOf } from '../base/env.ts';
import { RegistryError } from '../base/error.ts';
import { hostWithin } from '../base/text/domain-name.ts';
import { listNewestEntries } from '../change/history/operator/search.ts';
import type { Operation } from '../change/origin.ts';
import { type NameInterval, readNameHistory } from '../list/name-history/name-history.ts';
import { findDomainName, nameSubjects, namesAbove } from '../name/domain/operator/name.ts';
import { loadDomains } from '../name/domain/read.ts';
import { findOutside, findRuleProblems } from '../name/domain/rules.ts';
import { type DomainName, domainNameOf } from '../name/name.ts';
import { readNameState } from '../name/registration/name-state.ts';
import { findNeeds } from '../name/registration/register.ts';
import { findRetainedDomains } from '../name/retained/operator/list.ts';
import { plain, type Shown } from './columns.ts';
import { readDisputes } from './dispute.ts';
import { nameSentences } from './name-sentences.ts';
import { dayText, timeText } from './words.ts';

/** Of each kind; a name has a few in its life. */
const maximumRows = 50;
type Asked = Operation & { env: Env };

/**
 * Newest first. The text may be a web or e-mail address. Answers about the name above if nothing is on record of the name, but that name is
 * on record or may be registered.
 */
export async function findNameFacts(registry: Asked, text: string) {
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

async function readNameFacts(registry: Asked, name: DomainName) {
  const { db, origin, env } = registry;
  const ofName = db.select().from(auctions).where(eq(auctions.name, name.name));
  const isAbout = and(inArray(history.subject, nameSubjects), eq(history.subjectKey, name.name));
  const found = await Promise.all([
    loadDomains(db, [name.name]),
    readChannels(db, name.name),
    findRetainedDomains(
      db,
      retainedStatuses.map((status) => ({ ...name, status })),
    ),
    readDisputes(registry, name.name),
    ofName.orderBy(desc(auctions.id)).limit(maximumRows),
    readNameHistory(db, name.name, origin.request.at),
    listNewestEntries(db, isAbout, maximumRows),
    readNameState(db, name.name, origin.request.at),
    listMilestones(db, name.name),
  ]);
  const [domains, reach, retained, disputes, sold, intervals, entries, state, milestones] = found;
  const registered = [...domains.values()].map((domain) => ({ ...name, ...domain }));
  const facts = {
    ...{ registered, retained, entries, auctions: sold },
    disputes: disputes.slice(-maximumRows).reverse(),
    intervals: intervals.slice(-maximumRows).reverse(),
    channels: reach,
  };
  const isOnRecord = Object.values(facts).some((rows) => rows.length > 0);
  const [problem] = findRuleProblems([name], nameRulesOf(env));
  const needs = problem
    ? new RegistryError([problem])
    : findNeeds(name.name, state, origin.request.at);
  const said = nameSentences(name.name, { ...facts, milestones }, needs);
  const past = facts.intervals.filter(({ until }) => until !== null);
  return { name: name.name, ...facts, past, isOnRecord, ...said };
}

/** Entries of the domain's creation, and of changes of its registrar or holder. The newest first. */
function listMilestones(db: Database, name: string) {
  const isMilestone = or(
    eq(history.action, 'create'),
    sql`${history.changes} ->> '$.registrar.from' is not null`,
    sql`${history.changes} ->> '$.registrant.from' is not null`,
  );
  const isOfDomain = and(eq(history.subject, 'domain'), eq(history.subjectKey, name));
  return listNewestEntries(db, and(isOfDomain, isMilestone), maximumRows);
}

/** How people reach the registrar of the name. */
async function readChannels(db: Database, name: string): Promise<string[]> {
  const [registrar] = await db
    .select({ phone: registrars.phone, email: registrars.email })
    .from(domains)
    .innerJoin(registrars, eq(registrars.id, domains.registrarId))
    .where(eq(domains.name, name));
  return Object.values(registrar ?? {}).filter((channel) => channel !== null);
}

export const intervalsView: Shown<NameInterval> = {
  name: 'statuses',
  columns: plain('status', 'from', 'until'),
  table: 'status from until',
};

/** Of a status that is over. A dispute and a reservation have whole days, in UTC. */
export function intervalText({ status, from, until }: NameInterval): string {
  const what = status === 'auction' ? 'in auction' : status;
  const isMidnight = (instant: string) => /T00:00:00(\.0+)?Z$/.test(instant);
  const start = from && (isMidnight(from) ? dayText(from) : timeText(from));
  const last = new Date(Date.parse(until!) - 1).toISOString();
  const end = isMidnight(until!) ? `the end of ${dayText(last)}` : timeText(until!);
  return `${what}${start ? ` from ${start}` : ''} until ${end}`;
}
