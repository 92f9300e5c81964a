import * as z from 'zod';
import { auctionStatuses } from '../../../../drizzle/schema.ts';
import { maximumPlatformLength } from '../../../name/auction/start.ts';

/** What `shownAuction` shows. */
export const auctionShape = {
  id: z.guid(),
  domain: z.string().describe('The name, in Unicode.'),
  status: z.enum(auctionStatuses),
  platform: z.string().max(maximumPlatformLength).optional().meta({
    description: 'Present only for an auction that has one.',
  }),
};
