import { Hono } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import * as z from 'zod';
import { checkContactCode } from '../../contact/code.ts';
import { createContact } from '../../contact/create.ts';
import { deleteContact } from '../../contact/delete.ts';
import { checkIdentity, contactFields } from '../../contact/fields.ts';
import { type Form, shown } from '../../contact/form.ts';
import { listContactHistory } from '../../contact/history.ts';
import { listContactCodes, listContacts } from '../../contact/list.ts';
import { type Contact, getContact, versionOf } from '../../contact/read.ts';
import { updateContact } from '../../contact/update.ts';
import { RegistryError } from '../../error.ts';
import { authenticate, digestSecret } from '../../registrar/login.ts';
import { clearable } from '../../text-field.ts';
import { address, addressChanges } from '../address.ts';
import { echoClientReference } from '../client-reference.ts';
import { type AppEnv, callerAddress, database, requestOf } from '../context.ts';
import { shownChange } from '../history.ts';
import { jsonBody, pageQuery, parseBody, query, refuse } from '../input.ts';
import { once } from '../once.ts';
import { continueSession } from '../session.ts';
import { throttle, throttleAddress } from '../throttle.ts';
import { done } from './answer.ts';

export const contacts = new Hono<AppEnv>({ strict: false });

contacts.use(throttleAddress);

contacts.use(async (c, next) => {
  const credentials = auth(c.req.raw);
  if (!credentials) throw new RegistryError('unauthorized', 'Invalid authorization information');
  const { username, password } = credentials;
  const secretDigest = await digestSecret(password);
  c.set('login', { username, secretDigest, address: callerAddress(c) });
  c.set('admit', () => authenticate(database(c), c.var.login));
  // By the secret, not by the name: nobody can use up a user's share but the user.
  await throttle(c, 'caller', secretDigest);
  await next();
});

contacts.use(echoClientReference);

contacts.use(continueSession);

const listQuery = z.object({
  ...pageQuery,
  details: z.enum(['true', 'false'], 'Details is invalid').default('false'),
});

contacts.get('/', query(listQuery), async (c) => {
  const { details, ...page } = c.req.valid('query');
  const { json, total } =
    details === 'true'
      ? await listContacts(database(c), c.var.login, page, detailed)
      : await listContactCodes(database(c), c.var.login, page);
  const body = `{"contacts":${json},"total_number_of_records":${total}}`;
  return c.body(body, 200, { 'Content-Type': 'application/json' });
});

contacts.get('/check/:code', async (c) => {
  const asked = contactFields.code.safeParse(c.req.param('code'));
  if (!asked.success) {
    return refuse(c, [{ reason: 'invalid', message: 'Contact id is invalid', field: 'id' }]);
  }
  const { code, isAvailable } = await checkContactCode(database(c), c.var.login, asked.data);
  return c.json(done({ contact: { id: code, available: isAvailable } }));
});

contacts.get('/:code', async (c) => {
  const contact = await getContact(database(c), c.var.login, c.req.param('code'));
  c.header('ETag', `"${versionOf(contact)}"`);
  return c.json(done({ contact: shown(contact, detailed) }));
});

contacts.get('/:code/history', query(z.object(pageQuery)), async (c) => {
  const page = c.req.valid('query');
  const entries = await listContactHistory(database(c), c.var.login, c.req.param('code'), page);
  return c.json(done({ history: entries.map(shownChange) }));
});

const optionalFields = {
  fax: clearable(contactFields.fax),
  org_name: clearable(contactFields.orgName),
  auth_info: clearable(contactFields.authInfo),
  addr: address,
};

const identFields = z.object(
  {
    ident: contactFields.identCode,
    ident_type: contactFields.identType,
    ident_country_code: contactFields.identCountryCode,
  },
  'Ident is invalid',
);

const createBody = contactBody({
  id: clearable(contactFields.code),
  name: contactFields.name,
  email: contactFields.email,
  phone: contactFields.phone,
  ident: identFields.superRefine((ident, context) => checkIdentity(identityOf(ident), context)),
  ...optionalFields,
});

const updateBody = contactBody({
  name: contactFields.name.optional(),
  email: contactFields.email.optional(),
  phone: contactFields.phone.optional(),
  ident: identFields.partial().optional(),
  ...optionalFields,
});

/** A body's `contact`; one without any field that the call knows counts as not given. */
function contactBody<Fields extends z.ZodRawShape>(fields: Fields) {
  const contact = z
    .object(fields, 'Contact is invalid')
    .refine((given) => Object.keys(given).length > 0, { params: { reason: 'missing' } });
  return z.object({ contact });
}

contacts.post('/', async (c) => {
  const { id, ident, ...fields } = (await parseBody(c, createBody, await jsonBody(c))).contact;
  const created = { ...changesOf(fields), identity: identityOf(ident), code: id };
  const answer = (code: string) => done({ contact: { id: code } });
  const code = await createContact(
    database(c),
    c.var.login,
    created,
    requestOf(c),
    await once(c, answer),
  );
  return c.json(answer(code));
});

contacts.put('/:code', async (c) => {
  const { ident, ...fields } = (await parseBody(c, updateBody, await jsonBody(c))).contact;
  const changes = { ...changesOf(fields), identity: ident && identityOf(ident) };
  const answer = ({ code }: Contact) => done({ contact: { id: code } });
  const contact = await updateContact(
    database(c),
    c.var.login,
    c.req.param('code'),
    changes,
    requestOf(c),
    await once(c, answer),
  );
  return c.json(answer(contact));
});

contacts.delete('/:code', async (c) => {
  const answer = () => done({});
  await deleteContact(
    database(c),
    c.var.login,
    c.req.param('code'),
    requestOf(c),
    await once(c, answer),
  );
  return c.json(answer());
});

type Optional = Partial<z.output<z.ZodObject<typeof optionalFields>>>;

function changesOf<Fields extends Optional>({ org_name, auth_info, addr, ...same }: Fields) {
  return { ...same, ...addressChanges(addr), orgName: org_name, authInfo: auth_info };
}

type Ident = z.output<typeof identFields>;

function identityOf(ident: Ident): { code: string; type: Ident['ident_type']; countryCode: string };
function identityOf(ident: Partial<Ident>): {
  code?: string | undefined;
  type?: Ident['ident_type'] | undefined;
  countryCode?: string | undefined;
};
function identityOf({ ident, ident_type, ident_country_code }: Partial<Ident>) {
  return { code: ident, type: ident_type, countryCode: ident_country_code };
}

/** The contact as the registrar interface shows it, field by field in the documented order. */
const detailed: Form = {
  id: 'id',
  code: 'code',
  phone: 'phone',
  email: 'email',
  fax: 'fax',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  ident: 'ident',
  ident_type: 'identType',
  auth_info: 'authInfo',
  name: 'name',
  org_name: 'orgName',
  registrar_id: 'registrarId',
  creator_str: 'creator',
  updator_str: 'updater',
  ident_country_code: 'identCountryCode',
  city: { text: 'city' },
  street: { text: 'street' },
  zip: { text: 'zip' },
  country_code: { text: 'countryCode' },
  state: 'state',
  legacy_id: 'legacyId',
  statuses: 'statuses',
  status_notes: 'statusNotes',
};
