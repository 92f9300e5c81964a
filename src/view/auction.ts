import type { Auction } from '../name/auction/read.ts';
import { plain, type Shown } from './columns.ts';

export const auctionsView: Shown<Auction> = {
  name: 'auctions',
  columns: {
    ...{ id: 'uuid', domain: 'name', punycode_domain_name: 'punycode' },
    ...plain('status', 'registrationDeadline', 'platform', 'createdAt', 'updatedAt'),
  },
  table: 'id domain status updated_at',
};
