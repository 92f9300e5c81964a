import * as z from 'zod/mini';
import { retry } from '../../../base/database/retry.ts';
import { orRefusal, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { clearable, textField } from '../../../base/text/field.ts';
import { auctionLists, listsShowing } from '../../../list/lists.ts';
import { getDomain, unknownDomain } from '../../../name/domain/read.ts';
import { contentOf, type DomainRecord, type ImportedDomain } from '../../../name/domain/record.ts';
import { removeDomains, saveDomain, saveDomains } from '../../../name/domain/save.ts';
import { transferDomain } from '../../../name/domain/transfer.ts';
import { type DomainName, nameConflict } from '../../../name/name.ts';
import { releaseDomain } from '../../../name/registration/release.ts';
import { secretOfName } from '../../../name/retained/save.ts';
import { messagesByField } from '../request/answer.ts';
import { type AppContext, database, newApp, queueAfterResponse } from '../request/context.ts';
import {
  body,
  domainNameRule,
  isObject,
  jsonBody,
  limitBatch,
  limitBody,
  nameIgnoredFields,
  parsed,
  query,
  requestedName,
} from '../request/input.ts';
import { pathName, requestedOwnName } from '../request/names.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { forgetStarted } from '../request/recent.ts';
import { throttle } from '../request/throttle.ts';
import { internalMessages, problemOfBatch, programReason } from './answer.ts';
import { may, operationOf } from './login.ts';

const codeRule = (message: string) => z.pipe(textField(message, 100), z.transform(asciiUpperCase));

const registrarRule = onFirstUse(() => codeRule('is not the code of a registrar'));

const maximumContactsOfRole = 100;

export const domainFields = onFirstUse(() => {
  const contact = codeRule('is not the code of a contact');
  const tooMany = `has more than ${maximumContactsOfRole} contacts`;
  const contacts = z.nullish(
    z
      .array(contact, 'is not a list of the codes of contacts')
      .check(z.maxLength(maximumContactsOfRole, tooMany)),
  );
  return {
    registrar: registrarRule(),
    registrant: contact,
    admin_contacts: contacts,
    tech_contacts: contacts,
  };
});

export const domainObject = onFirstUse(() => z.object(domainFields(), 'is not an object'));

/** The domain of a body. */
export function domainIn(
  name: DomainName,
  { registrar, registrant, ...contacts }: z.output<ReturnType<typeof domainObject>>,
): ImportedDomain {
  const { admin_contacts: admin, tech_contacts: tech } = contacts;
  return { ...name, registrar, registrant, ...(admin && { admin }), ...(tech && { tech }) };
}

export function domainRepresentation(record: DomainRecord) {
  const { registrar, registrant, admin, tech } = contentOf(record);
  return {
    name: record.name,
    punycode_name: record.punycode,
    registrar,
    registrant,
    admin_contacts: admin,
    tech_contacts: tech,
  };
}

export const reportedDomain = onFirstUse(() =>
  z.object({ name: domainNameRule(), ...domainFields() }),
);
export const deletedDomain = onFirstUse(() =>
  z.object({ name: domainNameRule(), deleted: z.literal(true, 'is not true') }),
);

const itemsOfBatch = onFirstUse(() =>
  z.object({ domains: z.array(z.object({ ...reportedDomain().shape, deleted: z.unknown() })) }),
);

/** Reads an element of a batch: the wanted domain or the refusal, and the name if readable. */
function readReported(item: unknown) {
  const { name: text, deleted } = isObject(item) ? item : {};
  const wanted = orRefusal(() => {
    if (!isObject(item)) throw new RegistryError('invalid', 'is not an object');
    if (deleted !== undefined) {
      parsed(deletedDomain(), item);
      return undefined;
    }
    const domain = parsed(reportedDomain(), item);
    return domainIn(domain.name, domain);
  });
  const given = typeof text === 'string' ? text : null;
  return { given, name: domainNameRule().safeParse(given).data?.name, wanted };
}

export const internalDomains = newApp();

internalDomains.use(may('domains'));

internalDomains.get('/:name', async (c) => {
  const name = requestedName(c);
  const domain = await retry(() => getDomain(database(c), name.name));
  return c.json({ domain: domainRepresentation({ ...name, ...domain }) });
});

export const domainBody = onFirstUse(() =>
  z.object({ domain: domainObject(), password: clearable(secretOfName()) }),
);

internalDomains.put('/:name', limitBody, pathName, body(domainBody), async (c) => {
  const name = c.req.valid('param');
  const { domain, password } = c.req.valid('json');
  const match = c.req.header('If-Match')?.trim();
  if (match !== undefined && match !== '*') {
    throw new RegistryError('changed_meanwhile', 'a domain has no entity tag: If-Match takes *');
  }
  const options = { mustExist: match !== undefined, disputePassword: password ?? undefined };
  const saved = await saveDomain(operationOf(c), domainIn(name, domain), options);
  const { record, isNew, isDisputeClosed } = saved;
  if (!record) throw new RegistryError('changed_meanwhile', unknownDomain(name.name).message);
  if (isDisputeClosed) publishAfterResponse(c, listsShowing(['disputed']));
  return c.json({ domain: domainRepresentation(record) }, isNew ? 201 : 200);
});

export const removalQuery = onFirstUse(() =>
  z.object({ release: z._default(z.enum(['true', 'false'], 'is not true or false'), 'false') }),
);

internalDomains.delete('/:name', query(removalQuery, { release: 'true or false' }), async (c) => {
  if (c.req.valid('query').release === 'true') {
    const release = releaseDomain(operationOf(c), requestedOwnName(c));
    await release.finally(() => forgetStarted(c.env.DB));
    publishAfterResponse(c, auctionLists);
  } else {
    await removeDomains(operationOf(c), [requestedName(c).name]);
  }
  return c.body(null, 204);
});

const batchBody = onFirstUse(() =>
  z.object({
    domains: z
      .array(z.unknown(), 'is not a list of domains')
      .check(z.minLength(1, 'is empty'), z.maxLength(500, 'has more than 500 domains')),
  }),
);

internalDomains.post('/batch', limitBatch, async (c) => {
  const body = await jsonBody(c);
  nameIgnoredFields(c, itemsOfBatch(), body);
  const { domains } = parsed(batchBody(), body);
  // The call itself is counted already.
  await throttleOthers(c, domains.length - 10);
  const read = domains.map(readReported);
  // The last element of a name counts, even a refused one.
  const last = new Map(read.map(({ name, wanted }) => [name, wanted]));
  const wanted = new Map<string, ImportedDomain | undefined>();
  for (const [name, each] of last) {
    if (name !== undefined && !(each instanceof RegistryError)) wanted.set(name, each);
  }
  const refused = (await saveDomains(operationOf(c), wanted)).problems;
  return c.json({
    results: read.map(({ given, name = '', wanted }) => {
      const counted = last.get(name) ?? wanted;
      const problems = counted instanceof RegistryError ? counted.problems : refused.get(name);
      const shown = (problems ?? []).map(problemOfBatch);
      const errors = messagesByField(shown, internalMessages);
      const reason = shown[0] && programReason(shown[0]);
      return { name: given, ok: problems === undefined, errors, reason };
    }),
  });
});

/** Ten domains, contacts or names count as one request. */
export async function throttleOthers(c: AppContext, things: number): Promise<void> {
  const requests = Math.ceil(things / 10);
  if (requests > 0) await throttle(c, 'system', String(c.var.system.id), requests);
}

const maximumCopies = 1_000;
const tooManyCopies = `has more than ${maximumCopies} contacts of other registrars`;

export const transferBody = onFirstUse(() => z.object({ registrar: registrarRule() }));

internalDomains.post('/:name/transfer', limitBody, pathName, body(transferBody), async (c) => {
  const name = c.req.valid('param');
  const { registrar } = c.req.valid('json');
  const beforeCopying = async (copies: number) => {
    if (copies > maximumCopies) throw nameConflict(name.name, 'too_many', 'name', tooManyCopies);
    await throttleOthers(c, copies);
  };
  const domain = await transferDomain(operationOf(c), name, registrar, beforeCopying);
  for (const id of domain.notified) queueAfterResponse(c, id);
  return c.json({ domain: domainRepresentation({ ...name, ...domain }) });
});
