import * as z from 'zod/mini';
import { retried } from '../../../base/database/retry.ts';
import { zonesOf } from '../../../base/env.ts';
import { throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable } from '../../../base/text/field.ts';
import { listsShowing } from '../../../list/lists.ts';
import { findZoneProblems } from '../../../name/domain/zone.ts';
import { readNameState } from '../../../name/registration/name-state.ts';
import { registerDomain } from '../../../name/registration/register.ts';
import { takeBackRegistration } from '../../../name/registration/take-back.ts';
import { secretOfName } from '../../../name/retained/password.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { limitBody, parseBody } from '../request/input.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { requestedName } from '../request/requested-name.ts';
import { domainObject, recordOf, shownDomain } from './domain-body.ts';
import { may, originOf } from './login.ts';

/** What stands between a name and its registration, and the registration itself. */
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

export const registrationBody = onFirstUse(() => {
  const secret = () => clearable(secretOfName());
  return z.object({ domain: domainObject(), registration_code: secret(), password: secret() });
});

internalNames.post('/:name/registration', may('domains'), limitBody, async (c) => {
  const name = requestedName(c);
  throwProblems(findZoneProblems([{ name: name.name }], zonesOf(c.env)));
  const body = await parseBody(c, registrationBody());
  const record = recordOf(name, body.domain);
  // EPP has one field for both, so each is good for whatever the name needs.
  const secrets = [body.registration_code, body.password].filter((secret) => secret != null);
  const { system } = c.var;
  const done = await registerDomain(database(c), originOf(c), system, record, secrets);
  if (done.isDisputeClosed) publishAfterResponse(c, listsShowing(['disputed']));
  return c.json({ domain: shownDomain(record) }, done.isNew ? 201 : 200);
});

internalNames.delete('/:name/registration', may('domains'), async (c) => {
  const name = requestedName(c);
  const isDisputed = await takeBackRegistration(database(c), originOf(c), c.var.system, name);
  if (isDisputed) publishAfterResponse(c, listsShowing(['disputed']));
  return c.body(null, 204);
});
