import { sha256Hex } from '../../../base/bytes/digest.ts';
import type { Env } from '../../../base/env.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { auctionList, publicLists, retainedList } from '../../../list/lists.ts';
import { pageOfIntervals, readNameHistory } from '../../../list/name-history/name-history.ts';
import { findNames, type ListedName } from '../../../list/read/look-up.ts';
import type { DomainName } from '../../../name/name.ts';
import { database, newApp } from '../request/context.ts';
import { body, limitBody, refuseDay, requestedName } from '../request/input.ts';
import { bodyOfNames, readName } from '../request/names.ts';
import { nextLink, requestedPage, takesPage } from '../request/paging.ts';
import { readerOf } from '../request/public-list.ts';
import { publicOrigin } from '../request/public-origin.ts';
import { openToPages, textAnswer } from './answer.ts';

const { path } = publicLists[retainedList];
export const lookupPath = `${path}/lookup` as const;
export const namePath = `${path}/:name` as const;
export const historyPath = `${namePath}/history` as const;

export const names = newApp();

export const lookupBody = onFirstUse(() => bodyOfNames(500));

names.post(lookupPath, refuseDay, limitBody, body(lookupBody), async (c) => {
  const read = c.req.valid('json').names.map(readName);
  const domains = read.flatMap(({ domain }) => domain ?? []);
  const listed = await findNames(
    domains.map(({ name }) => name),
    readerOf(c),
  );
  const results = new Map(domains.map((domain, index) => [domain, listed[index]]));
  return c.json(
    {
      results: read.map(({ given, domain, error }) => {
        const found = domain && results.get(domain);
        return found ? nameRepresentation(domain, found) : { name: given, error };
      }),
    },
    200,
    openToPages,
  );
});

names.get(namePath, refuseDay, async (c) => {
  const domain = requestedName(c);
  const [listed] = await findNames([domain.name], readerOf(c));
  return nameAnswer(c.req.raw, c.env, domain, listed!);
});

names.get(historyPath, refuseDay, takesPage, async (c) => {
  const page = requestedPage(c.req.valid('query'), 'time');
  const { name, punycode } = requestedName(c);
  const all = await readNameHistory(database(c), name, c.var.now);
  const { intervals: history, next } = pageOfIntervals(all, page);
  const text = JSON.stringify({ name, punycode_name: punycode, history });
  const etag = `W/"${(await sha256Hex(text + (next ?? ''))).slice(0, 32)}"`;
  const answer = textAnswer(c.req.raw, c.env, [retainedList, auctionList], { etag, text });
  if (next && answer.status === 200) {
    answer.headers.set('Link', nextLink(c, page, next, publicOrigin(c)));
  }
  return answer;
});

export function nameAnswer(
  request: Request,
  env: Env,
  domain: DomainName,
  listed: ListedName,
): Response {
  const text = JSON.stringify(nameRepresentation(domain, listed));
  const etag = etagOf(listed);
  return textAnswer(request, env, [retainedList, auctionList], { etag, text });
}

function nameRepresentation({ name, punycode }: DomainName, { statuses, isInAuction }: ListedName) {
  return { name, punycode_name: punycode, statuses, in_auction: isInAuction };
}

/** Responses at one URL differ only in these. */
function etagOf({ statuses, isInAuction }: ListedName): string {
  return `W/"${[...statuses, ...(isInAuction ? ['in_auction'] : [])].join('+') || 'none'}"`;
}
