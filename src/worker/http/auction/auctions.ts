import * as z from 'zod/mini';
import { getAuction, registrationCodeOf } from '../../auction/read.ts';
import { reportableStatuses, updateAuction } from '../../auction/report.ts';
import { platformRule } from '../../auction/start.ts';
import { retried } from '../../database/retry.ts';
import { RegistryError } from '../../error.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { settings } from '../../settings.ts';
import { clearable } from '../../text/field.ts';
import { instantRule } from '../../time/instant.ts';
import { callerAddress, database } from '../context.ts';
import { newApp } from '../hono.ts';
import { limitBody, parseBody } from '../input.ts';
import { publishAfterResponse } from '../publish-after-response.ts';
import { continueSession } from '../session.ts';
import { forgetStarted, shownAuction, startedJson } from '../started-auctions.ts';
import { throttleAddress } from '../throttle.ts';

export const auctions = newApp();

auctions.get('/', async (c) =>
  c.body(await startedJson(c), 200, { 'Content-Type': 'application/json' }),
);

// Applies to everything but the list, which is open to anybody.
auctions.use(throttleAddress);

auctions.use('/:uuid', continueSession, async (c, next) => {
  const address = callerAddress(c);
  if (!settings(c.env).AUCTION_API_ALLOWED_IPS.includes(address)) {
    throw new RegistryError('address_denied', `Access denied from IP ${address ?? 'unknown'}`);
  }
  await next();
});

auctions.get('/:uuid', async (c) => {
  const auction = await retried(() => getAuction(database(c), c.req.param('uuid')));
  return c.json(shownAuction(auction));
});

const deadlineMessage = 'is not an ISO 8601 date or date-time';

export const reportBody = onFirstUse(() => {
  const instant = z.pipe(
    instantRule(deadlineMessage),
    z.transform((deadline) => deadline.toISOString()),
  );
  return z.object({
    status: z.nullish(z.enum(reportableStatuses, 'is not included in the list')),
    registration_deadline: clearable(
      z.union([z.iso.date(deadlineMessage), instant], deadlineMessage),
    ),
    platform: clearable(platformRule()),
  });
});

auctions.patch('/:uuid', limitBody, async (c) => {
  const report = await parseBody(c, reportBody(), { isOptional: true });
  const { registration_deadline: registrationDeadline, platform } = report;
  const status = report.status ?? undefined;
  const auction = await updateAuction(
    database(c),
    {
      actor: { type: 'auction_centre', name: `Auction centre ${callerAddress(c)}` },
      request: { at: c.var.now, requestId: c.var.requestId },
    },
    c.req.param('uuid'),
    { status, registrationDeadline, platform },
    settings(c.env).AUCTION_RESTART_STATUSES,
  ).finally(() => forgetStarted(c.env.DB));
  if (status !== undefined) publishAfterResponse(c, auctionLists);
  return c.json({ ...shownAuction(auction), registration_code: registrationCodeOf(auction) });
});
