import { sha256Hex } from '../../../base/bytes/digest.ts';
import { openDatabase } from '../../../base/database/open.ts';
import { dayOf, daysBefore, startOfDay } from '../../../base/time/day.ts';
import { auctionList, feedPath } from '../../../list/lists.ts';
import { listAuctionsSince } from '../../../name/auction/read.ts';
import { newApp } from '../request/context.ts';
import { Recent } from '../request/recent.ts';
import { textAnswer } from './answer.ts';

const maximumDays = 30;
const maximumEntries = 200;

type Started = Awaited<ReturnType<typeof listAuctionsSince>>;
const started = new Recent<D1Database, Started>(60_000);

export const feed = newApp();

feed.get(feedPath, async (c) => {
  const { DB } = c.env;
  const today = dayOf(c.var.now);
  const since = startOfDay(daysBefore(today, maximumDays));
  const auctions = await started.get(c, DB, () =>
    listAuctionsSince(openDatabase(DB, c.var.meter), since, maximumEntries),
  );
  const text = atom(new URL(c.req.url).origin, auctions, startOfDay(today));
  const etag = `W/"${(await sha256Hex(text)).slice(0, 32)}"`;
  const type = 'application/atom+xml';
  return textAnswer(c.req.raw, c.env, [auctionList], { etag, text, type });
});

/** RFC 4287. Nothing needs escaping: a name has letters, marks, digits, hyphens and dots. An empty feed counts as updated at `otherwise`. */
function atom(origin: string, auctions: Started, otherwise: string): string {
  const entries = auctions.map(
    ({ uuid, name, createdAt }) => `
  <entry>
    <id>urn:uuid:${uuid}</id>
    <title>${name}</title>
    <link rel="alternate" type="text/html" href="${origin}/?name=${encodeURIComponent(name)}"/>
    <published>${createdAt}</published>
    <updated>${createdAt}</updated>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${origin}${feedPath}</id>
  <title>Registry Edge: uued oksjonid · new auctions</title>
  <link rel="self" type="application/atom+xml" href="${origin}${feedPath}"/>
  <link rel="alternate" type="text/html" href="${origin}/"/>
  <author><name>Registry Edge</name></author>
  <updated>${auctions[0]?.createdAt ?? otherwise}</updated>${entries.join('')}
</feed>
`;
}
