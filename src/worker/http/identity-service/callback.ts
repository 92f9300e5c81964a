import * as z from 'zod/mini';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { textField } from '../../../base/text/field.ts';
import { takeIdentification } from '../../../contact/verification/identity-request.ts';
import { isSigned } from '../../../contact/verification/identity-service.ts';
import { settings } from '../../settings.ts';
import { callerAddress, database, newApp, queueAfterResponse } from '../request/context.ts';
import { body, limitBody } from '../request/input.ts';

/** Where the identity service says that a request is completed. The path is part of its protocol. */
export const identificationCallback = newApp();

export const callbackBody = onFirstUse(() =>
  z.object({
    identification_request_id: textField('is invalid', 100),
    client_id: textField('is invalid', 255),
    reference: z.nullish(textField('is invalid', 100)),
  }),
);

identificationCallback.use(async (c, next) => {
  if (!settings(c.env).IDENTITY_SERVICE_ALLOWED_IPS?.includes(callerAddress(c))) {
    throw new RegistryError('address_denied', 'Access denied');
  }
  await next();
});

identificationCallback.post('/', limitBody, body(callbackBody), async (c) => {
  const { client_id: clientId, reference, identification_request_id: id } = c.req.valid('json');
  const client = settings(c.env).identityClients.find((each) => each.id === clientId);
  const signature = c.req.header('X-HMAC-Signature') ?? '';
  if (!client || !(await isSigned(client, await c.req.arrayBuffer(), signature))) {
    throw new RegistryError('unauthorized', 'Signature is invalid');
  }
  const contact = await takeIdentification(
    database(c),
    client,
    { code: reference ?? '', id },
    { at: c.var.now, requestId: c.var.requestId },
  );
  queueAfterResponse(c, contact.registrarId);
  return c.json({ status: 'success' });
});
