import * as z from 'zod';
import { type DomainName, nameRefusal, readDomainName } from '../../domain/name.ts';
import type { Env } from '../../env.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { auctionList, publicLists, retainedList } from '../../public-list/lists.ts';
import { findNames, type ListedName } from '../../public-list/read/names.ts';
import { newApp } from '../hono.ts';
import { limitBody, parseBody } from '../input.ts';
import { readerOf } from '../public-list.ts';
import { identified, jsonAnswer, openToPages } from './answer.ts';

const { path } = publicLists[retainedList];
export const lookupPath = `${path}/lookup` as const;
export const namePath = `${path}/:name` as const;

/** One name, and many names at once, by the lists as they are published. */
export const names = newApp();

const maximumNames = 500;

/** A value that can be answered as it was given; an object could be nested without end. */
const scalar = () =>
  z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be an array of names');

export const lookupBody = onFirstUse(() =>
  z.object({
    names: z
      .array(scalar(), 'must be an array of names')
      .min(1, 'must contain at least one name')
      .max(maximumNames, `must contain at most ${maximumNames} names`),
  }),
);

names.post(lookupPath, limitBody, async (c) => {
  const body = await parseBody(c, lookupBody());
  const read = body.names.map(readName);
  const known = read.flatMap(({ domain }) => domain ?? []);
  const listed = await findNames(
    known.map(({ name }) => name),
    readerOf(c),
  );
  const results = new Map(known.map((domain, index) => [domain, listed[index]]));
  return c.json(
    {
      results: read.map(({ given, domain, error }) => {
        const found = domain && results.get(domain);
        return found ? shown(domain, found) : { name: given, error };
      }),
    },
    200,
    openToPages,
  );
});

names.get(namePath, async (c) => {
  const given = c.req.param('name');
  const { domain, fault } = readDomainName(given);
  if (!domain) throw nameRefusal(given, fault);
  const [listed] = await findNames([domain.name], readerOf(c));
  if (!listed) throw new Error('a name was not looked up');
  return identified(c, nameAnswer(c.req.raw, c.env, domain, listed));
});

/** The answer about one name. */
export function nameAnswer(
  request: Request,
  env: Env,
  domain: DomainName,
  listed: ListedName,
): Response {
  const json = JSON.stringify(shown(domain, listed));
  return jsonAnswer(request, env, [retainedList, auctionList], etagOf(listed), json);
}

/** A name of a look-up, or what is wrong with it. */
function readName(given: unknown): { given: unknown; domain?: DomainName; error?: string } {
  if (typeof given !== 'string') return { given, error: 'is not a domain name' };
  const { domain, fault } = readDomainName(given);
  return domain ? { given, domain } : { given, error: nameRefusal(given, fault).message };
}

function shown({ name, punycode }: DomainName, { statuses, isInAuction }: ListedName) {
  return { name, punycode_name: punycode, statuses, in_auction: isInAuction };
}

/** The answers of one URL differ only in this. */
function etagOf({ statuses, isInAuction }: ListedName): string {
  return `W/"${[...statuses, ...(isInAuction ? ['in_auction'] : [])].join('+') || 'none'}"`;
}
