import { and, desc, eq, inArray } from 'drizzle-orm';
import { auctions, history, retainedStatuses } from '../../../drizzle/schema.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import {
  type NameInterval,
  readNameHistory,
  statusesAt,
} from '../../list/name-history/name-history.ts';
import type { DomainName } from '../../name/domain/name.ts';
import { loadDomains } from '../../name/domain/read.ts';
import { findRetainedDomains } from '../../name/retained/operator/list.ts';
import { reading } from '../command.ts';
import { parseName } from '../names.ts';
import type { Registry } from '../registry.ts';
import { verb } from '../run.ts';
import { plain, rowsReport, type Shown } from '../view.ts';
import { auctionsView } from './auction.ts';
import { disputesView, readDisputes } from './dispute.ts';
import { domainsView } from './domain/index.ts';
import { historyData, historyView } from './history/entry.ts';
import { retainedView } from './retained/index.ts';

/** Of each kind; a name has a few in its life. */
const maximumRows = 50;
/** Of the history; `history` shows more. */
const shownEntries = 10;

/** Everything that is true of a name now, and was; the newest first. */
export async function readNameFacts(registry: Registry, name: DomainName) {
  const { db, origin } = registry;
  const { at } = origin.request;
  const ofName = db.select().from(auctions).where(eq(auctions.name, name.name));
  const isAbout = and(
    inArray(history.subject, ['domain', 'retained_domain', 'dispute', 'auction']),
    eq(history.subjectKey, name.name),
  );
  const [domains, retained, disputes, sold, intervals, entries] = await Promise.all([
    loadDomains(db, [name.name]),
    findRetainedDomains(
      db,
      retainedStatuses.map((status) => ({ ...name, status })),
    ),
    readDisputes(registry, name.name),
    ofName.orderBy(desc(auctions.id)).limit(maximumRows),
    readNameHistory(db, name.name, at),
    listNewestEntries(db, isAbout, maximumRows),
  ]);
  const registered = [...domains.values()].map((domain) => ({ ...name, ...domain }));
  const { known } = statusesAt(intervals, at);
  const states = [
    ...registered.map(({ registrar }) => `registered with ${registrar}`),
    ...known.map((status) => (status === 'auction' ? 'in auction' : status)),
  ];
  const isWhat = new Intl.ListFormat('en').format(states);
  return {
    sentence: `${name.name} is ${isWhat || 'not registered here, and on none of the lists'}.`,
    ...{ registered, retained, known, entries },
    disputes: disputes.slice(-maximumRows).reverse(),
    auctions: sold,
    intervals: intervals.slice(-maximumRows).reverse(),
  };
}

export const intervalsView: Shown<NameInterval> = {
  name: 'statuses',
  columns: plain('status', 'from', 'until'),
  table: 'status from until',
};

export const nameCommand = verb(
  reading('name', 'name kohv.ee', 'name kohv.ee --json')
    .description('Show everything that is true of a name now, and was')
    .argument('<name>', 'the name'),
  async (registry, text) => {
    const name = await parseName(registry.db, text);
    const facts = await readNameFacts(registry, name);
    const reports = [
      rowsReport(domainsView, facts.registered),
      rowsReport(retainedView, facts.retained),
      rowsReport(disputesView, facts.disputes),
      rowsReport(auctionsView, facts.auctions),
      rowsReport(intervalsView, facts.intervals),
    ];
    const data = Object.assign({ name: name.name }, ...reports.map(({ data }) => data));
    const newest = facts.entries.slice(0, shownEntries);
    return {
      data: { ...data, history: facts.entries.map(historyData) },
      text: [
        facts.sentence,
        ...[...reports.map(({ text }) => text), ...newest.map(historyView.textOf)].map((part) => [
          '',
          part,
        ]),
      ],
    };
  },
);
