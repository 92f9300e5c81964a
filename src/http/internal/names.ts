import { retried } from '../../database/retry.ts';
import { readNameState } from '../../registration/name-state.ts';
import { database } from '../context.ts';
import { newApp } from '../hono.ts';
import { requestedName } from '../requested-name.ts';

export const internalNames = newApp();

internalNames.get('/:name', async (c) => {
  const { name, punycode } = requestedName(c);
  const state = await retried(() => readNameState(database(c), name, c.var.now));
  const { auction } = state;
  return c.json({
    name,
    punycode_name: punycode,
    blocked: state.isBlocked,
    disputed: state.dispute !== undefined,
    reserved: state.reservation !== undefined,
    auction: auction
      ? {
          id: auction.uuid,
          status: auction.status,
          registration_deadline: auction.registrationDeadline,
        }
      : null,
    registered: state.isRegistered,
  });
});
