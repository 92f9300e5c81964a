import { sha256Hex } from '../../../base/bytes/digest.ts';
import { type Database, openDatabase } from '../../../base/database/open.ts';
import { dayOf, daysBefore, startOfDay } from '../../../base/time/day.ts';
import { findFirstRequestId } from '../../../change/history/search.ts';
import { auctionList, feedPath } from '../../../list/lists.ts';
import { listAuctionsSince } from '../../../name/auction/read.ts';
import { newApp } from '../request/context.ts';
import { refuseDay } from '../request/input.ts';
import { publicOrigin } from '../request/public-origin.ts';
import { Recent } from '../request/recent.ts';
import { textAnswer } from './answer.ts';

const maximumDays = 30;
const maximumEntries = 200;

const read = async (db: Database, since: string) => {
  const [auctions, firstRequestId] = await Promise.all([
    listAuctionsSince(db, since, maximumEntries),
    findFirstRequestId(db),
  ]);
  return { auctions, firstRequestId };
};

type Content = Awaited<ReturnType<typeof read>>;
const content = new Recent<D1Database, Content>(60_000);

export const feed = newApp();

feed.get(feedPath, refuseDay, async (c) => {
  const { DB } = c.env;
  const today = dayOf(c.var.now);
  const since = startOfDay(daysBefore(today, maximumDays));
  const known = await content.get(c, DB, () => read(openDatabase(DB, c.var.meter), since));
  const text = atom(publicOrigin(c), known, startOfDay(today));
  const etag = `W/"${(await sha256Hex(text)).slice(0, 32)}"`;
  const type = 'application/atom+xml';
  return textAnswer(c.req.raw, c.env, [auctionList], { etag, text, type });
});

/** With the time at which the auction began. */
const states = {
  auction: 'oksjonil alates · in auction since',
  ended: 'oksjon lõppenud, algas · auction ended, began',
};

/**
 * RFC 4287. Nothing needs escaping: a name has letters, marks, digits, hyphens and dots. An empty feed counts as updated at `otherwise`.
 *
 * The ids have no address in them, so that they stay when the registry's address changes. The feed's own is the id of the request that made
 * the registry's first change. A registry without changes has no auctions and nothing to recognise.
 */
function atom(origin: string, { auctions, firstRequestId }: Content, otherwise: string): string {
  const entries = auctions.map(({ uuid, name, punycode, status, createdAt }) => {
    const state = status === 'started' ? 'auction' : 'ended';
    return `
  <entry>
    <id>urn:uuid:${uuid}</id>
    <title>${name}</title>
    <link rel="alternate" type="text/html" href="${origin}/?name=${encodeURIComponent(name)}"/>
    <category term="${state}"/>
    <summary>${punycode}: ${states[state]} ${createdAt}</summary>
    <published>${createdAt}</published>
    <updated>${createdAt}</updated>
  </entry>`;
  });
  const id = firstRequestId === undefined ? origin + feedPath : `urn:uuid:${firstRequestId}`;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${id}</id>
  <title>Registry Edge: uued oksjonid · new auctions</title>
  <link rel="self" type="application/atom+xml" href="${origin}${feedPath}"/>
  <link rel="alternate" type="text/html" href="${origin}/"/>
  <author><name>Registry Edge</name></author>
  <updated>${auctions[0]?.createdAt ?? otherwise}</updated>${entries.join('')}
</feed>
`;
}
