import { Hono } from 'hono';
import * as z from 'zod';
import { contactRules } from '../../contact/rules.ts';
import { settings } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { issueToken } from '../../registrant/token.ts';
import { echoClientReference } from '../client-reference.ts';
import { type AppEnv, callerAddress } from '../context.ts';
import { limitBody, parseBody } from '../input.ts';
import { throttleAddress } from '../throttle.ts';

export const registrantAuth = new Hono<AppEnv>({ strict: false });

export const eidBody = onFirstUse(() =>
  z.object({
    ident: contactRules.ident(),
    first_name: contactRules.name(),
    last_name: contactRules.name(),
    country_code: contactRules.countryCode().default('EE'),
  }),
);

registrantAuth.use(throttleAddress, echoClientReference, limitBody);

registrantAuth.post('/eid', async (c) => {
  const { registrantAuthAllowedIps, registrantTokenKeys } = settings(c.env);
  const address = callerAddress(c);
  if (!registrantAuthAllowedIps.includes(address)) {
    throw new RegistryError('address_denied', `Access denied from IP ${address ?? 'unknown'}`);
  }
  const given = await parseBody(c, eidBody());
  const person = {
    countryCode: given.country_code,
    code: given.ident,
    firstName: given.first_name,
    lastName: given.last_name,
  };
  const { token, expiresAt } = await issueToken(registrantTokenKeys, person, c.var.now);
  return c.json({ access_token: token, expires_at: expiresAt.toISOString(), type: 'Bearer' });
});
