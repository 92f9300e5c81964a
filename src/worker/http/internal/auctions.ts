import * as z from 'zod/mini';
import { cancelAuction } from '../../auction/cancel.ts';
import { getAuction } from '../../auction/read.ts';
import { platformRule } from '../../auction/start.ts';
import { startAuction } from '../../auction/start-one.ts';
import { retried } from '../../database/retry.ts';
import { findZoneProblems } from '../../domain/zone.ts';
import { zonesOf } from '../../env.ts';
import { RegistryError, throwProblems } from '../../error.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { clearable } from '../../text/field.ts';
import { database } from '../context.ts';
import { newApp } from '../hono.ts';
import { limitBody, parseBody } from '../input.ts';
import { publishAfterResponse } from '../publish-after-response.ts';
import { domainNameRule } from '../requested-name.ts';
import { forgetStarted, shownAuction } from '../started-auctions.ts';
import { markReplay, writeRequest } from '../write-request.ts';
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
