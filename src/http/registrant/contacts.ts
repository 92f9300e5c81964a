import { Hono } from 'hono';
import * as z from 'zod';
import { contactFields } from '../../contact/fields.ts';
import { listHistoryOfPerson } from '../../contact/history.ts';
import { listContactsOfPerson } from '../../contact/list.ts';
import { type Contact, getContactOfPerson, statusesOf, versionOf } from '../../contact/read.ts';
import { updateContactOfPerson } from '../../contact/update.ts';
import { settings } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { verifyToken } from '../../registrant/token.ts';
import { clearable } from '../../text-field.ts';
import { address, addressChanges } from '../address.ts';
import { echoClientReference } from '../client-reference.ts';
import { type AppContext, type AppEnv, database, requestOf } from '../context.ts';
import { shownChange } from '../history.ts';
import { jsonBody, pageQuery, parseBody, query, refuse, utf8 } from '../input.ts';
import { once } from '../once.ts';
import { continueSession } from '../session.ts';
import { throttle, throttleAddress } from '../throttle.ts';

export const contacts = new Hono<AppEnv>({ strict: false });

contacts.use(throttleAddress);

contacts.use(async (c, next) => {
  const [, token] = /^ *Bearer +([\w.~+/-]+=*) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  if (token === undefined) throw new RegistryError('unauthorized', 'Not authorized');
  c.set('person', await verifyToken(settings(c.env).registrantTokenKeys, token, c.var.now));
  await throttle(c, 'caller', `${c.var.person.countryCode}:${c.var.person.code}`);
  await next();
});

contacts.use(echoClientReference);

contacts.use(continueSession);

contacts.get('/', query(z.object(pageQuery)), async (c) => {
  const found = await listContactsOfPerson(database(c), c.var.person, c.req.valid('query'));
  return c.json({ contacts: found.map(shown) });
});

contacts.get('/:uuid', async (c) => {
  const contact = await getContactOfPerson(database(c), c.var.person, c.req.param('uuid'));
  return answerWhole(c, contact);
});

contacts.get('/:uuid/history', query(z.object(pageQuery)), async (c) => {
  const page = c.req.valid('query');
  const entries = await listHistoryOfPerson(database(c), c.var.person, c.req.param('uuid'), page);
  return c.json({ history: entries.map(shownChange) });
});

const updateBody = z.object({
  name: contactFields.name.optional(),
  email: contactFields.email.optional(),
  phone: contactFields.phone.optional(),
  fax: clearable(contactFields.fax),
  address,
  disclosed_attributes: contactFields.disclosedAttributes.optional(),
});

contacts.patch('/:uuid', async (c) => {
  const body = isForm(c) ? await formBody(c) : await jsonBody(c);
  const { address: place, disclosed_attributes, ...same } = await parseBody(c, updateBody, body);
  const given = Object.keys(body);
  // An empty body asks for nothing; one of unknown fields alone asks for what can't be done.
  if (given.length > 0 && !given.some((field) => Object.hasOwn(updateBody.shape, field))) {
    await refuse(c, [{ reason: 'missing', message: 'No field of a contact is given' }]);
  }
  const changes = {
    ...same,
    ...addressChanges(place),
    disclosedAttributes: disclosed_attributes,
  };
  const contact = await updateContactOfPerson(
    database(c),
    c.var.person,
    c.req.param('uuid'),
    changes,
    requestOf(c),
    await once(c, shownWhole),
  );
  return answerWhole(c, contact);
});

function isForm(c: AppContext): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('Content-Type') ?? '');
}

/**
 * `address[street]=…&disclosed_attributes[]=name`; an empty element is how a form sends an empty list. Throws
 * `malformed` for more than 100 parameters, and for what is not percent-encoded UTF-8.
 */
async function formBody(c: AppContext): Promise<Record<string, unknown>> {
  const fields = await parseForm(await c.req.arrayBuffer());
  if (!fields) {
    return refuse(c, [
      { reason: 'malformed', message: 'Request body is not a form of the service' },
    ]);
  }
  const { disclosed_attributes: given } = fields;
  if (!Array.isArray(given)) return fields;
  return { ...fields, disclosed_attributes: given.filter((attribute) => attribute !== '') };
}

async function parseForm(body: ArrayBuffer): Promise<Record<string, unknown> | undefined> {
  // Few clients send forms: an isolate that meets none starts without the library.
  const { default: qs } = await import('qs');
  try {
    return qs.parse(utf8.decode(body), {
      depth: 2,
      parameterLimit: 100,
      throwOnLimitExceeded: true,
      // The library's own decoder keeps what it can't decode.
      decoder: (text) => decodeURIComponent(text.replaceAll('+', ' ')),
    });
  } catch {
    return undefined;
  }
}

/** The contact as the registrant interface lists it: strings throughout, empty where nothing is known. */
function shown(contact: Contact) {
  return {
    id: contact.uuid,
    name: contact.name,
    code: contact.code,
    ident: {
      code: contact.ident,
      type: contact.identType,
      country_code: contact.identCountryCode,
    },
    email: contact.email,
    phone: contact.phone,
    fax: contact.fax ?? '',
    address: {
      street: contact.street ?? '',
      zip: contact.zip ?? '',
      city: contact.city ?? '',
      state: contact.state ?? '',
      country_code: contact.countryCode ?? '',
    },
    auth_info: contact.authInfo,
    statuses: statusesOf(contact),
  };
}

/** The contact as the registrant interface shows it by itself. */
function shownWhole(contact: Contact) {
  return { ...shown(contact), disclosed_attributes: contact.disclosedAttributes };
}

function answerWhole(c: AppContext, contact: Contact): Response {
  c.header('ETag', `"${versionOf(contact)}"`);
  return c.json(shownWhole(contact));
}
