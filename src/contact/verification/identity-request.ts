import { and } from 'drizzle-orm';
import type { IdentityRequest } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { searchKey } from '../../base/text/search-key.ts';
import { difference } from '../../change/history/changes.ts';
import type { Actor, Operation, Origin, WriteRequest } from '../../change/origin.ts';
import { type Written, write } from '../../change/write.ts';
import type { Login, RegistrarCall } from '../../party/registrar/login.ts';
import { notifyRegistrar, rowUpdate, writeContact } from '../change.ts';
import {
  type Contact,
  type ContactReference,
  type ContactWithRegistrar,
  checkProhibition,
  checkVersion,
  getContactByCode,
  referenceTo,
} from '../contact.ts';
import {
  disputedSentence,
  findDisputedDomains,
  holdsNoDisputed,
  isOtherPerson,
} from '../disputed.ts';
import { isSameIdentityCode } from '../identity-code.ts';
import { invalidIdentity } from '../invalid.ts';
import { getContact } from '../read.ts';
import { contactRules } from '../rules.ts';
import { checksAfter } from '../verifications.ts';
import {
  clientFor,
  createIdentification,
  findIdentification,
  findProof,
  type Identification,
  type IdentityClient,
} from './identity-service.ts';
import { checkValues } from './verification.ts';

const identityService: Actor = { type: 'identity_service', name: 'Identity service' };

interface IdentificationLink extends ContactReference {
  /** The page that identifies the person; null if the open request is already completed. */
  link: string | null;
  /** The contact's UUID, by which an erasure finds the kept answer. */
  uuid: string;
}

/**
 * Takes the result of an open request or returns its link. Otherwise creates a request, which replaces the last one,
 * its pending decision and the identity's verification. Two round trips. Throws `invalid` for an organisation;
 * `not_offered`, `service_failed`, `not_found`, `changed_meanwhile`.
 */
export function requestIdentification(
  call: RegistrarCall,
  code: string,
  clients: readonly IdentityClient[],
): Promise<Written<IdentificationLink>> {
  const { request } = call;
  const askService = async (contact: Contact) => {
    checkVersion(contact, request);
    const client = clientFor(clients, contact);
    const open = openRequest(contact);
    const answer = open && (await findIdentification(client, open.id));
    return answer && answer.status !== 'expired' ? answer : createIdentification(client, contact);
  };
  const change = (contact: Contact, answer: Identification) => {
    if (answer.id === openRequest(contact)?.id) return result(contact, answer, request);
    const identityRequest = { id: answer.id, sent_at: request.at.toISOString(), pending: null };
    return { identityRequest, ...(contact.identityVerification && { identityVerification: null }) };
  };
  return writeContact(
    call,
    code,
    (operation, contact, answer) => {
      const update = rowUpdate(operation, contact, change(contact, answer));
      const link = answer.status === 'completed' ? null : answer.link;
      return { ...update, outcome: { link, uuid: contact.uuid, ...referenceTo(update.outcome) } };
    },
    askService,
  );
}

function openRequest({ identityRequest }: Contact): IdentityRequest | undefined {
  const isOpen = identityRequest && !identityRequest.pending && !identityRequest.decided_at;
  return isOpen ? identityRequest : undefined;
}

/**
 * Takes the result of this request and notifies the registrar. Changes nothing unless the request is open and
 * completed. Returns the contact. Throws `not_found`, `service_failed`.
 */
export async function takeIdentification(
  db: Database,
  client: IdentityClient,
  { code, id }: { code: string; id: string },
  request: WriteRequest,
): Promise<Contact> {
  const operation = { db, origin: { actor: identityService, request } };
  const { outcome } = await write(db, request, {
    async look() {
      const contact = await getContactByCode(db, code);
      const isOpen = openRequest(contact)?.id === id;
      return { contact, answer: isOpen ? await findIdentification(client, id) : undefined };
    },
    judge({ contact, answer }) {
      const values = answer ? result(contact, answer, request) : {};
      const change = rowUpdate(operation, contact, values);
      const isVerified = 'identityVerification' in values;
      return notifyRegistrar(db, contact, change, {
        event: isVerified ? 'contact.verified' : 'contact.verification_pending',
        text: isVerified
          ? `Contact ${contact.code} has been verified`
          : `Contact ${contact.code} waits for your decision on its verification`,
      });
    },
  });
  return outcome;
}

/** Verifies the identity if the service found the contact's own; the registrar decides on any other. */
function result(
  contact: Contact,
  { status, result }: Identification,
  request: WriteRequest,
): Partial<Contact> {
  if (status !== 'completed') return {};
  const identity = identityIn(contact, result ?? {});
  const { country_code: countryCode, ident, name } = identity;
  const isContact =
    ![countryCode, ident, name].includes('') &&
    countryCode === contact.identCountryCode &&
    isSameIdentityCode(ident, contact.ident) &&
    (name === null || searchKey(name) === searchKey(contact.name));
  if (isContact) return decisionValues(contact, { actor: identityService, request });
  const pending = { since: request.at.toISOString(), ...identity };
  return { identityRequest: { ...contact.identityRequest!, pending } };
}

/**
 * Reads the result as the live registry does (app/interactions/actions/process_contact_identification_webhook.rb).
 * Missing values are empty.
 */
function identityIn({ identType }: Contact, result: Record<string, unknown>) {
  const claimText = (claim: string) => {
    const value = result[claim];
    return typeof value === 'string' ? value.trim().slice(0, 255) : '';
  };
  if (identType !== 'birthday') {
    const [, country_code = '', ident = ''] = /^([A-Z]{2})(.+)$/.exec(claimText('sub')) ?? [];
    return { country_code, ident: storedForm('ident', ident), name: null };
  }
  return {
    country_code: claimText('country').toUpperCase(),
    // A person with a code is not identified by birthday.
    ident: claimText('id_number') ? '' : claimText('birthdate') || claimText('date_of_birth'),
    name: storedForm(
      'name',
      claimText('name') || `${claimText('given_name')} ${claimText('family_name')}`,
    ),
  };
}

/** A text that the rules refuse stays, for whoever decides to see: its approval is refused. */
const storedForm = (field: 'ident' | 'name', text: string): string =>
  contactRules[field]().safeParse(text).data ?? text.trim();

function decisionValues(contact: Contact, origin: Origin): Partial<Contact> {
  const { id, sent_at } = contact.identityRequest!;
  const check = { claim: 'identity', method: 'eid', reference: id } as const;
  return {
    ...checkValues(contact, check, origin),
    identityRequest: { id, sent_at, pending: null, decided_at: origin.request.at.toISOString() },
  };
}

/**
 * Decides on the service's identity if it differs from the contact's. Approval gives it to the contact, verified;
 * rejection deletes it and its request. Two round trips, three for another person. Throws `update_prohibited`, also without a pending decision or
 * if a contact cannot have that identity, or holds a disputed domain and would be another person's; `not_found`, `changed_meanwhile`.
 */
export function decideVerification(
  call: RegistrarCall,
  code: string,
  decision: 'approve' | 'reject',
): Promise<Written<ContactReference>> {
  const { db, request } = call;
  const isOthers = (contact: Contact) => {
    const pending = decision === 'approve' && contact.identityRequest?.pending;
    return pending && isOtherPerson(contact, identityOf(pending));
  };
  const findDisputed = async (contact: Contact) =>
    isOthers(contact) ? findDisputedDomains(db, [contact.uuid], request.at) : [];
  const judge = (operation: Operation, contact: ContactWithRegistrar, disputed: string[]) => {
    checkVersion(contact, request);
    const pending = contact.identityRequest?.pending;
    if (!pending) {
      const message = 'No pending verification to approve or reject';
      throw new RegistryError('update_prohibited', message);
    }
    const values =
      decision === 'approve'
        ? approvalValues(contact, pending, operation.origin)
        : { identityRequest: null };
    const change = rowUpdate(operation, contact, values);
    if (decision === 'reject' || !isOthers(contact)) {
      return { ...change, outcome: referenceTo(change.outcome) };
    }
    const detail = disputedSentence(disputed);
    if (detail)
      throw notApproved(
        `The service has established another person, and ${detail}, which the contact holds.`,
      );
    const onlyIf = and(change.onlyIf, holdsNoDisputed(contact, request.at));
    return { ...change, onlyIf, outcome: referenceTo(change.outcome) };
  };
  return writeContact(call, code, judge, findDisputed);
}

type Established = NonNullable<IdentityRequest['pending']>;

const identityOf = ({ country_code: identCountryCode, ident, name }: Established) => ({
  ...{ identCountryCode, ident },
  ...(name !== null && { name }),
});

function approvalValues(contact: Contact, pending: Established, origin: Origin): Partial<Contact> {
  checkProhibition(contact, 'Update');
  const values = identityOf(pending);
  const [problem] = invalidIdentity(contact, values, origin.request.at);
  if (!problem) {
    const { identityRequest } = contact;
    const checks = checksAfter(contact, difference(contact, values));
    return {
      ...values,
      ...decisionValues({ ...contact, ...values, ...checks, identityRequest }, origin),
    };
  }
  throw notApproved(
    `The service has established no identity that the contact can have: ${problem.message}.`,
  );
}

function notApproved(detail: string): RegistryError {
  const message = 'Verification cannot be approved';
  return new RegistryError([{ reason: 'update_prohibited', message, detail }]);
}

/**
 * Returns the PDF of the contact's newest request. One round trip. Throws `not_found`, also without a PDF; `invalid`,
 * `not_offered`, `service_failed`.
 */
export async function getProof(
  db: Database,
  login: Login,
  code: string,
  clients: readonly IdentityClient[],
): Promise<{ id: string; pdf: Uint8Array<ArrayBuffer> }> {
  const contact = await getContact(db, login, code);
  const id = contact.identityRequest?.id;
  const pdf = id && (await findProof(clientFor(clients, contact), id));
  if (!pdf) throw new RegistryError('not_found', 'Object does not exist');
  return { id, pdf };
}
