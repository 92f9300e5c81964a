import * as z from 'zod/mini';
import { retried } from '../../../base/database/retry.ts';
import { zonesOf } from '../../../base/env.ts';
import { RegistryError, throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { auctionLists } from '../../../list/lists.ts';
import { nameConflict } from '../../../name/domain/name.ts';
import { getDomain } from '../../../name/domain/read.ts';
import { removeDomains } from '../../../name/domain/remove.ts';
import { saveDomain, saveDomains, type WantedDomain } from '../../../name/domain/save.ts';
import { transferDomain } from '../../../name/domain/transfer.ts';
import { findZoneProblems } from '../../../name/domain/zone.ts';
import { releaseDomain } from '../../../name/registration/release.ts';
import { messagesByField } from '../request/answer.ts';
import { type AppContext, database, queueAfterResponse } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { nameIgnoredFields } from '../request/ignored.ts';
import { jsonBody, limitBatch, limitBody, parseBody, parsed, query } from '../request/input.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { requestedName } from '../request/requested-name.ts';
import { forgetStarted } from '../request/started-auctions.ts';
import { throttle } from '../request/throttle.ts';
import { internalMessages, shownProblem } from './answer.ts';
import {
  domainObject,
  elementsOfBatch,
  readReported,
  recordOf,
  registrarRule,
  shownDomain,
} from './domain-body.ts';
import { may, originOf } from './login.ts';

/** The domains that the registry's own systems know. */
export const internalDomains = newApp();

internalDomains.use(may('domains'));

internalDomains.get('/:name', async (c) => {
  const name = requestedName(c);
  const present = await retried(() => getDomain(database(c), name.name));
  return c.json({ domain: shownDomain({ ...name, ...present }) });
});

export const domainBody = onFirstUse(() => z.object({ domain: domainObject() }));

internalDomains.put('/:name', limitBody, async (c) => {
  const name = requestedName(c);
  const { domain } = await parseBody(c, domainBody());
  const { record, isNew } = await saveDomain(database(c), originOf(c), name, (present) =>
    recordOf(name, domain, present),
  );
  return c.json({ domain: shownDomain(record) }, isNew ? 201 : 200);
});

export const removalQuery = onFirstUse(() =>
  z.object({ release: z._default(z.enum(['true', 'false'], 'is not true or false'), 'false') }),
);

internalDomains.delete('/:name', query(removalQuery, { release: 'true or false' }), async (c) => {
  const { name, punycode } = requestedName(c);
  const [db, origin] = [database(c), originOf(c)];
  if (c.req.valid('query').release === 'true') {
    throwProblems(findZoneProblems([{ name }], zonesOf(c.env)));
    const release = releaseDomain(db, origin, { name, punycode });
    await release.finally(() => forgetStarted(c.env.DB));
    publishAfterResponse(c, auctionLists);
  } else {
    await removeDomains(db, origin, [name]);
  }
  return c.body(null, 204);
});

const batchBody = onFirstUse(() =>
  z.object({
    domains: z
      .array(z.unknown(), 'is not a list of domains')
      .check(z.minLength(1, 'is empty'), z.maxLength(500, 'has more than 500 domains')),
  }),
);

internalDomains.post('/batch', limitBatch, async (c) => {
  const body = await jsonBody(c);
  nameIgnoredFields(c, elementsOfBatch(), body);
  const { domains } = parsed(batchBody(), body);
  // The call itself has counted as one.
  await throttleOthers(c, domains.length - 10);
  const read = domains.map(readReported);
  // Of a name that is there twice, the later counts, also if it is refused.
  const last = new Map(read.map(({ name, wanted }) => [name, wanted]));
  const wanted = new Map<string, WantedDomain>();
  for (const [name, each] of last) {
    if (name !== undefined && !(each instanceof RegistryError)) wanted.set(name, each);
  }
  const refused = (await saveDomains(database(c), originOf(c), wanted)).problems;
  return c.json({
    results: read.map(({ given, name = '', wanted }) => {
      const counted = last.get(name) ?? wanted;
      const problems = counted instanceof RegistryError ? counted.problems : refused.get(name);
      const errors = messagesByField((problems ?? []).map(shownProblem), internalMessages);
      return { name: given, ok: problems === undefined, errors };
    }),
  });
});

/** Ten domains or contacts count as one request. */
async function throttleOthers(c: AppContext, things: number): Promise<void> {
  const requests = Math.ceil(things / 10);
  if (requests > 0) await throttle(c, 'system', String(c.var.system.id), requests);
}

const maximumCopies = 1_000;
const tooManyCopies = `has more than ${maximumCopies} contacts of other registrars`;

export const transferBody = onFirstUse(() => z.object({ registrar: registrarRule() }));

internalDomains.post('/:name/transfer', limitBody, async (c) => {
  const name = requestedName(c);
  const { registrar } = await parseBody(c, transferBody());
  const beforeCopying = async (copies: number) => {
    if (copies > maximumCopies) throw nameConflict(name.name, 'too_many', tooManyCopies);
    await throttleOthers(c, copies);
  };
  const domain = await transferDomain(database(c), originOf(c), name, registrar, { beforeCopying });
  for (const id of domain.notified) queueAfterResponse(c, id);
  return c.json({ domain: shownDomain({ ...name, ...domain }) });
});
