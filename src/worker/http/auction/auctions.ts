import * as z from 'zod/mini';
import { retry } from '../../../base/database/retry.ts';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable } from '../../../base/text/field.ts';
import { dayRule, instantRule } from '../../../base/time/instant.ts';
import { auctionLists } from '../../../list/lists.ts';
import { getAuction, registrationCodeOf } from '../../../name/auction/read.ts';
import { reportableStatuses, updateAuction } from '../../../name/auction/report.ts';
import { platformRule } from '../../../name/auction/start.ts';
import { settings } from '../../settings.ts';
import { type ErrorForm, fieldErrors, statuses } from '../request/answer.ts';
import { continueSession } from '../request/client-headers.ts';
import { callerAddress, database, newApp } from '../request/context.ts';
import { body, limitBody } from '../request/input.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { auctionRepresentation, forgetStarted, startedJson } from '../request/recent.ts';
import { throttleAddress } from '../request/throttle.ts';

export const auctionRoutes = newApp();

auctionRoutes.get('/', async (c) =>
  c.body(await startedJson(c), 200, { 'Content-Type': 'application/json' }),
);

// For all calls but the list, which is public.
auctionRoutes.use(throttleAddress);

auctionRoutes.use('/:uuid', continueSession, async (c, next) => {
  const address = callerAddress(c);
  if (!settings(c.env).AUCTION_API_ALLOWED_IPS.includes(address)) {
    throw new RegistryError('address_denied', `Access denied from IP ${address ?? 'unknown'}`);
  }
  await next();
});

auctionRoutes.get('/:uuid', async (c) => {
  const auction = await retry(() => getAuction(database(c), c.req.param('uuid')));
  return c.json(auctionRepresentation(auction));
});

const deadlineMessage = 'is not an ISO 8601 date or date-time';

export const reportBody = onFirstUse(() => {
  const instant = z.pipe(
    instantRule(deadlineMessage),
    z.transform((deadline) => deadline.toISOString()),
  );
  return z.object({
    status: z.nullish(z.enum(reportableStatuses, 'is not included in the list')),
    registration_deadline: clearable(z.union([dayRule(deadlineMessage), instant], deadlineMessage)),
    platform: clearable(platformRule()),
  });
});

auctionRoutes.patch('/:uuid', limitBody, body(reportBody, { isOptional: true }), async (c) => {
  const { status, registration_deadline: registrationDeadline, platform } = c.req.valid('json');
  const auction = await updateAuction(
    {
      db: database(c),
      origin: {
        actor: { type: 'auction_centre', name: `Auction centre ${callerAddress(c)}` },
        request: { at: c.var.now, requestId: c.var.requestId },
      },
    },
    c.req.param('uuid'),
    { status: status ?? undefined, registrationDeadline, platform },
    settings(c.env).AUCTION_RESTART_STATUSES,
  ).finally(() => forgetStarted(c.env.DB));
  if (status != null) publishAfterResponse(c, auctionLists);
  return c.json({
    ...auctionRepresentation(auction),
    registration_code: registrationCodeOf(auction),
  });
});

/** A 404 has the auction centre's own form. All other errors are listed by field. */
export const auctionError: ErrorForm = (error, c) => {
  const status = statuses[error.reason];
  if (status !== 404) return fieldErrors(error, c);
  const message = error.reason === 'not_found' ? 'Record not found' : error.message;
  return c.json({ error: 'Not Found', uuid: c.req.param('uuid'), message }, status);
};
