import * as z from 'zod/mini';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import { orRefusal, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable, expecting, isBlank, textField } from '../../../base/text/field.ts';
import { nameKey } from '../../../base/text/search-key.ts';
import { type Sought, typed } from '../../../base/text/typed.ts';
import { instantRule } from '../../../base/time/instant.ts';
import type { Written } from '../../../change/write.ts';
import { type Contact, type ContactReference, checkOwnStatuses } from '../../../contact/contact.ts';
import { normalisedCountry } from '../../../contact/country.ts';
import {
  checkContactCodes,
  createContact,
  invalidId,
  validateContacts,
} from '../../../contact/create.ts';
import { deleteContact } from '../../../contact/delete.ts';
import type { NewContact } from '../../../contact/fields.ts';
import { hasLostPlus } from '../../../contact/identity-code.ts';
import { listContactCodes, listContacts, listDemandedContacts } from '../../../contact/list.ts';
import { getContact, listContactHistory } from '../../../contact/read.ts';
import { detailedRepresentation } from '../../../contact/representation.ts';
import { contactRules } from '../../../contact/rules.ts';
import { searchOrder } from '../../../contact/search.ts';
import { updateContact } from '../../../contact/update.ts';
import { historyEntry } from '../request/answer.ts';
import { contactAnswer, markReplay, registrarCall } from '../request/client-headers.ts';
import {
  bodyFields,
  columnsOf,
  inGroups,
  parsedContact,
  withoutRepeated,
} from '../request/contact-body.ts';
import { type AppContext, database, newApp } from '../request/context.ts';
import { isObject, jsonBody, nameIgnoredFields, parsed, query } from '../request/input.ts';
import {
  expectedOfPage,
  linkAfter,
  linkNext,
  pageQuery,
  requestedPage,
  takesBoundedPage,
} from '../request/paging.ts';
import { answerToWrite, errorsOf, success } from './answer.ts';
import { registrarMiddleware, throttleCaller } from './login.ts';
import { verifications } from './verifications.ts';

export const registrarContacts = newApp();

registrarContacts.use(...registrarMiddleware);
registrarContacts.route('/', verifications);

/** Text as people type and paste it. Looser than the rules of a creation, to find values from a former registry. */
const soughtField = (message: string, as?: Sought, accepts?: (text: string) => boolean) =>
  z.optional(
    z.pipe(
      z.pipe(
        z.string(message).check(z.meta({ minLength: 1, maxLength: 255 })),
        z.transform((text) => typed(text, as)),
      ),
      textField(message, 255, accepts),
    ),
  );

export const listQuery = onFirstUse(() =>
  z.object({
    ...pageQuery().shape,
    details: z._default(z.enum(['true', 'false'], 'Details is invalid'), 'false'),
    ident: soughtField('Ident code is invalid'),
    ident_country_code: z.optional(
      z.pipe(textField('Ident country code is invalid', 255), z.transform(normalisedCountry)),
    ),
    email: soughtField('Email is invalid', 'mailbox'),
    // Marks alone are nothing to look for.
    name: soughtField('Name is invalid', 'text', (name) => nameKey(name) !== ''),
    status: z.optional(z.enum([...contactStatuses, 'ok', 'linked'], 'Status is invalid')),
    verified: z.optional(z.literal('false', 'Verified is invalid')),
    demand: z.optional(z.literal('open', 'Demand is invalid')),
    updated_since: z.optional(instantRule('Updated since is invalid')),
  }),
);

const expectedOfList = {
  ...expectedOfPage,
  details: 'true or false',
  ident: 'text of 1 to 255 characters',
  ident_country_code: 'text of 1 to 255 characters',
  email: 'text of 1 to 255 characters',
  name: 'the beginning of a name, of 1 to 255 characters',
  status: `one of ${[...contactStatuses, 'ok', 'linked'].join(', ')}`,
  verified: 'false, for those whose identity is not verified',
  demand: 'open, for those of which the registry still asks to verify something',
  updated_since:
    'a day or a time (ISO 8601), with + as %2B: 2026-01-31, 2026-01-31T14:00:00%2B02:00',
};

registrarContacts.get('/', query(listQuery, expectedOfList), async (c) => {
  const given = c.req.valid('query');
  checkPlus(c, given);
  const filters = {
    ident: given.ident,
    identCountryCode: given.ident_country_code,
    email: given.email,
    name: given.name,
    status: given.status,
    isUnverified: given.verified === 'false',
    isDemanded: given.demand === 'open',
    updatedSince: given.updated_since,
  };
  const page = requestedPage(given, searchOrder(filters));
  const listInDetail = filters.isDemanded ? listDemandedContacts : listContacts;
  const list = given.details === 'true' ? listInDetail : listContactCodes;
  const { contacts, total, next } = await list(database(c), c.var.login, page, filters);
  linkNext(c, page, next);
  return c.json({ contacts, total_number_of_records: total });
});

/** Throws `invalid` for an unencoded `+`, which would search for another address or person. */
function checkPlus(c: AppContext, { email = '', ident = '' }: { email?: string; ident?: string }) {
  const isIdent = hasLostPlus(ident) && /[?&]ident=[^&]*\+/.test(c.req.url);
  if (!isIdent && !email.includes(' ')) return;
  const [message, field] = isIdent
    ? ['Ident code is invalid', 'ident']
    : ['Email is invalid', 'email'];
  const detail = 'A + in a URL means a blank: write it as %2B.';
  throw new RegistryError([{ reason: 'invalid', message, field, detail }]);
}

function readId(asked: unknown): string | RegistryError {
  const id = contactRules.code().safeParse(asked);
  return id.success ? id.data : invalidId();
}

registrarContacts.get('/check/:code', async (c) => {
  const asked = [readId(c.req.param('code'))];
  const [checked] = await checkContactCodes(database(c), c.var.login, asked);
  const { code, refusal } = checked!;
  if (code === undefined) throw refusal;
  return c.json(success({ contact: { id: code, available: !refusal } }));
});

const maximumChecked = 100;

export const contactCheckBody = onFirstUse(() =>
  z.object({ contacts: boundedList(maximumChecked, 'codes', z.unknown()) }),
);

registrarContacts.post('/check', async (c) => {
  const body = await jsonBody(c);
  nameIgnoredFields(c, contactCheckBody(), body);
  const { contacts } = parsed(contactCheckBody(), body);
  await throttleCaller(c, Math.ceil(contacts.length / 10));
  const checked = await checkContactCodes(database(c), c.var.login, contacts.map(readId));
  const results = checked.map(({ code = null, refusal }, at) => {
    const { message, detail } = refusal?.problems[0] ?? {};
    const reason = detail === undefined ? message : `${message}. ${detail}`;
    return { asked: contacts[at], id: code, available: !refusal, reason: reason ?? null };
  });
  return c.json(success({ results }));
});

registrarContacts.get('/:code', async (c) => {
  const contact = await getContact(database(c), c.var.login, c.req.param('code'));
  return contactAnswer(c, contact, success({ contact: detailedRepresentation(contact) }));
});

registrarContacts.get('/:code/history', takesBoundedPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const entries = await listContactHistory(database(c), c.var.login, c.req.param('code'), page);
  linkAfter(c, page, entries);
  return c.json(success({ history: entries.map(historyEntry) }));
});

export const createBody = onFirstUse(() =>
  contactBody({
    id: clearable(contactRules.code()),
    ...bodyFields('registrar', { isCreation: true }),
  }),
);

export const updateBody = onFirstUse(() =>
  contactBody({
    ...bodyFields('registrar', { isCreation: false }),
    // Compared with those on record, never written.
    statuses: expecting(
      'a list of statuses',
      z.optional(z.array(z.string(), 'Statuses is invalid')),
    ),
  }),
);

registrarContacts.post('/', async (c) => {
  const body = await jsonBody(c);
  nameIgnoredFields(c, createBody(), body, hasRecordId(body.contact) ? ['contact.id'] : []);
  const created = newContact(body.contact);
  return answer(c, await createContact(await registrarCall(c), created));
});

const maximumValidated = 100;

/** For the document and unknown fields only: each contact is judged by itself. */
export const validateBody = onFirstUse(() =>
  z.object({
    contacts: z
      .array(createBody().shape.contact, 'Contacts is invalid')
      .check(z.meta({ minItems: 1, maxItems: maximumValidated })),
  }),
);

const contactList = onFirstUse(() =>
  z.object({ contacts: boundedList(maximumValidated, 'contacts', z.unknown()) }),
);

function boundedList<Item extends z.ZodMiniType>(maximum: number, things: string, item: Item) {
  return expecting(
    `a list of 1 to ${maximum} ${things}`,
    z.array(item, 'Contacts is invalid').check(
      z.refine(({ length }) => length > 0 && length <= maximum, {
        params: { reason: 'out_of_range' },
      }),
    ),
  );
}

registrarContacts.post('/validate', async (c) => {
  const body = await jsonBody(c);
  const { contacts } = parsed(contactList(), body);
  const recordIds = contacts.some(hasRecordId) ? ['contacts.id'] : [];
  nameIgnoredFields(c, validateBody(), body, recordIds);
  const newContacts = contacts.map((contact) => orRefusal(() => newContact(contact)));
  const refusals = await validateContacts(database(c), c.var.login, newContacts);
  const results = refusals.map((refusal) => ({
    valid: refusal === undefined,
    errors: refusal ? errorsOf(refusal) : [],
  }));
  return c.json(success({ results }));
});

/** Beside the code, as in responses, a number is the record's id. Alone, it may be meant as the code, and is refused. */
function hasRecordId(contact: unknown): boolean {
  return isObject(contact) && typeof contact.id === 'number' && !isBlank(contact.code);
}

function newContact(given: unknown): NewContact {
  const grouped = inGroups('registrar', given);
  const chosen = hasRecordId(given) ? { ...(grouped as object), id: undefined } : grouped;
  const { contact } = parsedContact(createBody(), given, chosen);
  return { ...columnsOf('registrar', contact), code: contact.id } as NewContact;
}

registrarContacts.put('/:code', async (c) => {
  const body = await jsonBody(c);
  nameIgnoredFields(c, updateBody(), body);
  const parseChanges = (onRecord: Contact) => {
    const given = withoutRepeated('registrar', inGroups('registrar', body.contact), onRecord);
    const { contact } = parsedContact(updateBody(), body.contact, given);
    checkOwnStatuses(onRecord, contact.statuses);
    return columnsOf('registrar', contact);
  };
  return answer(c, await updateContact(await registrarCall(c), c.req.param('code'), parseChanges));
});

registrarContacts.delete('/:code', async (c) => {
  const { isReplay } = await deleteContact(await registrarCall(c), c.req.param('code'));
  markReplay(c, isReplay);
  return c.json(success({}));
});

/** A contact with no known field counts as missing. */
function contactBody<Fields extends z.core.$ZodLooseShape>(fields: Fields) {
  const contact = z
    .object(fields, 'Contact is invalid')
    .check(z.refine((given) => Object.keys(given).length > 0, { params: { reason: 'missing' } }));
  return z.object({ contact });
}

function answer(c: AppContext, written: Written<ContactReference>): Response {
  return answerToWrite(c, written, { contact: { id: written.outcome.code } });
}
