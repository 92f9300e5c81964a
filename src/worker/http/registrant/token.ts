import type { MiddlewareHandler } from 'hono';
import * as z from 'zod/mini';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { identityKey } from '../../../contact/identity-code.ts';
import { contactRules } from '../../../contact/rules.ts';
import { issueToken } from '../../../party/registrant/token.ts';
import { settings } from '../../settings.ts';
import { echoClientReference } from '../request/client-headers.ts';
import { type AppEnv, newApp } from '../request/context.ts';
import { body, limitBody } from '../request/input.ts';
import { callerNetwork, throttle } from '../request/throttle.ts';
import { isFromPortal, personKey, throttleRegistrants } from './login.ts';

export const registrantAuth = newApp();

export const eidBody = onFirstUse(() =>
  z.object({
    ident: contactRules.ident(),
    first_name: contactRules.name(),
    last_name: contactRules.name(),
    country_code: z._default(contactRules.countryCode(), 'EE'),
  }),
);

registrantAuth.use(throttleRegistrants, echoClientReference, limitBody);

const onlyFromPortal: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromPortal(c)) throw new RegistryError('address_denied', 'Not authorized');
  await next();
};

registrantAuth.post('/eid', onlyFromPortal, body(eidBody), async (c) => {
  const { country_code: countryCode, ident: code, ...name } = c.req.valid('json');
  if (countryCode === 'EE') checkEstonianCode(code);
  const person = { countryCode, code, firstName: name.first_name, lastName: name.last_name };
  c.set('person', person);
  // The portal can name anybody, so all persons together have a limit, too. Each person's own keeps one from using it up.
  await throttle(c, 'registrant-write', `token ${await personKey(person)}`);
  await throttle(c, 'address', `token ${callerNetwork(c)}`);
  const keys = settings(c.env).REGISTRANT_TOKEN_KEYS;
  const { token, expiresAt } = await issueToken(keys, person, c.var.now);
  return c.json({ access_token: token, expires_at: expiresAt.toISOString(), type: 'Bearer' });
});

/** The person of another code would have no contact. Checks only the form: the portal has identified the person. */
function checkEstonianCode(ident: string): void {
  if (/^[1-8]\d{10}$/.test(identityKey(ident))) return;
  const [prefix] = /^(PNO)?EE-?(?=\d)/i.exec(ident) ?? [];
  const advice = prefix ? `; leave out its prefix ${JSON.stringify(prefix)}` : '';
  const message = `is not an Estonian personal code of eleven digits${advice}`;
  throw new RegistryError('invalid', message, 'ident');
}
