import * as z from 'zod/mini';
import { retried } from '../../../base/database/retry.ts';
import { zonesOf } from '../../../base/env.ts';
import { RegistryError, throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable } from '../../../base/text/field.ts';
import { auctionLists } from '../../../list/lists.ts';
import { cancelAuction } from '../../../name/auction/cancel.ts';
import { getAuction } from '../../../name/auction/read.ts';
import { platformRule } from '../../../name/auction/start.ts';
import { startAuction } from '../../../name/auction/start-one.ts';
import { findZoneProblems } from '../../../name/domain/zone.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { limitBody, parseBody } from '../request/input.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { domainNameRule } from '../request/requested-name.ts';
import { forgetStarted, shownAuction } from '../request/started-auctions.ts';
import { markReplay, writeRequest } from '../request/write-request.ts';
import { may, originOf } from './login.ts';

export const internalAuctions = newApp();

internalAuctions.use(may('auctions'));

export const startBody = onFirstUse(() =>
  z.object({
    auction: z.object(
      { domain: domainNameRule(), platform: clearable(platformRule()) },
      'is not an object',
    ),
  }),
);

internalAuctions.post('/', limitBody, async (c) => {
  const { domain, platform = null } = (await parseBody(c, startBody())).auction;
  const problems = findZoneProblems([domain], zonesOf(c.env));
  throwProblems(problems.map((problem) => ({ ...problem, field: 'domain' })));
  const origin = { ...originOf(c), request: await writeRequest(c) };
  const started = startAuction(database(c), origin, domain, platform);
  const { outcome, isReplay } = await started.finally(() => forgetStarted(c.env.DB));
  publishAfterResponse(c, auctionLists);
  markReplay(c, isReplay);
  return c.json(shownAuction(outcome), outcome.isNew ? 201 : 200);
});

internalAuctions.get('/:uuid', async (c) => {
  const auction = await retried(() => getAuction(database(c), c.req.param('uuid')));
  return c.json({
    ...shownAuction(auction),
    registration_deadline: auction.registrationDeadline,
  });
});

internalAuctions.delete('/:uuid', async (c) => {
  const auction = c.req.param('uuid');
  // It would be taken for a name.
  if (auction.includes('.')) throw new RegistryError('invalid', 'is not a UUID', 'uuid');
  const origin = originOf(c);
  const reason = `cancelled by ${origin.actor.name}`;
  try {
    await cancelAuction(database(c), origin, { auction, reason });
  } catch (error) {
    if (!(error instanceof RegistryError && error.reason === 'not_found')) throw error;
  } finally {
    forgetStarted(c.env.DB);
  }
  publishAfterResponse(c, auctionLists);
  return c.body(null, 204);
});
