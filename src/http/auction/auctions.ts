import { Hono } from 'hono';
import * as z from 'zod';
import { type Auction, getAuction, listStartedAuctions } from '../../auction/read.ts';
import { reportableStatuses, updateAuction } from '../../auction/report.ts';
import { platformRule } from '../../auction/start.ts';
import { settings } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { clearable } from '../../text/field.ts';
import { type AppEnv, callerAddress, database } from '../context.ts';
import { limitBody, parseBody } from '../input.ts';
import { publishAfterResponse } from '../publish.ts';
import { continueSession } from '../session.ts';
import { throttleAddress } from '../throttle.ts';

export const auctions = new Hono<AppEnv>({ strict: false });

auctions.use(throttleAddress, continueSession);

auctions.get('/', async (c) => {
  const started = await listStartedAuctions(database(c));
  return c.json(started.map(shown));
});

auctions.use('/:uuid', async (c, next) => {
  const address = callerAddress(c);
  if (!settings(c.env).auctionAllowedIps.includes(address)) {
    throw new RegistryError('address_denied', `Access denied from IP ${address ?? 'unknown'}`);
  }
  await next();
});

auctions.get('/:uuid', async (c) => {
  const auction = await getAuction(database(c), c.req.param('uuid'));
  return c.json(shown(auction));
});

const deadlineMessage = 'is not an ISO 8601 date or date-time';

export const reportBody = onFirstUse(() => {
  const instant = z.iso
    .datetime({ offset: true, local: true, error: deadlineMessage })
    // Without an offset it is UTC, like every instant in the registry.
    .transform((text) =>
      new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`).toISOString(),
    );
  return z.object({
    status: z.enum(reportableStatuses, 'is not included in the list').nullish(),
    registration_deadline: clearable(
      z.union([z.iso.date(deadlineMessage), instant], deadlineMessage),
    ),
    platform: clearable(platformRule()),
  });
});

auctions.patch('/:uuid', limitBody, async (c) => {
  const { byteLength } = await c.req.arrayBuffer();
  // A report may have no body.
  const report = await parseBody(c, reportBody(), byteLength === 0 ? {} : undefined);
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
    settings(c.env).auctionRestartStatuses,
  );
  // Even if nothing changed: a repeated report repairs what the first one left undone.
  if (status !== undefined) publishAfterResponse(c, auctionLists);
  return c.json({ ...shown(auction), registration_code: auction.registrationCode });
});

/** Clients that know no platforms see none: the field is there where the auction has one. */
function shown({ uuid, name, status, platform }: Auction) {
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}
