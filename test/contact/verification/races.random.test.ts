import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Claim, claims, contacts } from '../../../drizzle/schema.ts';
import type { Database } from '../../../src/base/database/open.ts';
import { RegistryError } from '../../../src/base/error.ts';
import type { WriteRequest } from '../../../src/change/origin.ts';
import { type Contact, getContactByCode } from '../../../src/contact/contact.ts';
import { verificationColumn } from '../../../src/contact/fields.ts';
import { updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { importContacts } from '../../../src/contact/operator/import.ts';
import { updateContact, updateContactOfPerson } from '../../../src/contact/update.ts';
import {
  decideVerification,
  requestIdentification,
  takeIdentification,
} from '../../../src/contact/verification/identity-request.ts';
import {
  recordVerification,
  withdrawVerification,
} from '../../../src/contact/verification/verification.ts';
import { verificationsOf } from '../../../src/contact/verifications.ts';
import { callbackOf } from '../../../src/dev/sandbox/identity-service.ts';
import { planRevert, revert } from '../../../src/undo/revert.ts';
import { settings } from '../../../src/worker/settings.ts';
import {
  addContact,
  addPerson,
  addRegistrar,
  contactValues,
  operator,
  unique,
  verification,
} from '../../support/fixtures.ts';
import { drawsMany, runs } from '../../support/run.ts';
import { type Around, aroundCalls, inTurns } from '../../support/turns.ts';
import { shareWorker } from '../../support/worker.ts';
import { change, claimValues } from './claims.ts';

/**
 * Lives of one contact, with many callers at once, the identity service among them. Their calls of D1 take turns in an order
 * that is drawn as well, so that the seed of a failure repeats it.
 */

const worker = shareWorker();
const identityClients = () => settings(worker.env).identityClients;
const newId = () => crypto.randomUUID();
const idIn = (link: string) => link.split('/').at(-1)!;

interface Life {
  code: string;
  registrar: Awaited<ReturnType<typeof addRegistrar>>;
  people: Awaited<ReturnType<typeof addPerson>>[];
  /** Where the identity service has sent people, the newest first, and those who have been there. */
  links: string[];
  visited: Set<string>;
}

interface Given {
  change: typeof change extends fc.Arbitrary<infer Value> ? Value : never;
  claim: Claim;
  result: 'success' | 'failed';
  outcome: string;
  isOfIdentity: boolean;
  /** Which of the links, counted from the newest. */
  back: number;
  request: WriteRequest;
}

type Deed = (db: Database, life: Life, given: Given) => Promise<unknown>;

/** The person does what a link is for, once; returns the link. */
async function visit({ links, visited }: Life, { back, outcome }: Given): Promise<string> {
  const link = links[back] ?? links[0];
  if (!link) throw new RegistryError('not_found', 'nobody has been asked');
  if (!visited.has(link)) {
    visited.add(link);
    await fetch(`${link}?callback=no&outcome=${outcome}`, { method: 'POST' });
  }
  return link;
}

const byOperator = ({ request }: Given) => ({ actor: operator.actor, request });

/** The operator changes the contact, or whom it belongs to. */
const changeAsOperator: Deed = (db, { people, code }, given) => {
  const identity = { ident: people[given.back % 2]!.code, identCountryCode: 'LV' };
  const changes = given.isOfIdentity ? identity : given.change;
  return updateAnyContact({ db, origin: byOperator(given) }, code, changes);
};

const decide =
  (decision: 'approve' | 'reject'): Deed =>
  (db, { registrar, code }, { request }) =>
    decideVerification({ db, login: registrar.login, request }, code, decision);

const deeds = {
  registrar: (db, { registrar, code }, { change, request }) =>
    updateContact({ db, login: registrar.login, request }, code, () => change),
  async registrant(db, { people, code }, { change, request }) {
    const { ident, uuid } = await getContactByCode(db, code);
    const person = people.find((one) => one.code === ident) ?? people[0]!;
    return updateContactOfPerson({ db, person, request }, uuid, () => change);
  },
  operator: changeAsOperator,
  async undo(db, life, given) {
    await changeAsOperator(db, life, given);
    const { requestId } = given.request;
    const origin = byOperator({ ...given, request: { ...given.request, requestId: newId() } });
    const plan = await planRevert({ db, origin }, requestId);
    await revert({ db, origin }, plan);
  },
  record: (db, { registrar, code }, { claim, result, request }) =>
    recordVerification({ db, login: registrar.login, request }, code, {
      claim,
      method: 'eid',
      result,
    }),
  async withdraw(db, { registrar, code }, { claim, request }) {
    const checks = verificationsOf(await getContactByCode(db, code));
    const { id = 'none' } = checks.find((check) => check.claim === claim) ?? {};
    return withdrawVerification({ db, login: registrar.login, request }, code, id);
  },
  async 'erase and import'(db, { registrar, people, code }, given) {
    const origin = byOperator(given);
    await eraseContact({ db, origin }, code);
    const person = { ...contactValues, ident: people[0]!.code, identCountryCode: 'LV' };
    const check = { [verificationColumn[given.claim]]: verification({ result: given.result }) };
    const record = { ...person, code, registrar: registrar.code, ...check };
    const request = { ...given.request, requestId: newId() };
    await importContacts({ db, origin: { ...origin, request } }, [record]);
  },
  async verify(db, { registrar, code, links }, { request }) {
    const asked = await requestIdentification(
      { db, login: registrar.login, request },
      code,
      identityClients(),
    );
    const { link } = asked.outcome;
    if (link && !links.includes(link)) links.unshift(link);
  },
  visit: (_, life, given) => visit(life, given),
  async callback(db, life, given) {
    const id = idIn(await visit(life, given));
    const [client] = identityClients();
    await takeIdentification(db, client!, { code: life.code, id }, given.request);
  },
  async 'forged callback'(_, life, given) {
    const id = idIn(await visit(life, given));
    const call = callbackOf({ id, client_id: 'sandbox-priv', reference: life.code });
    const headers = { ...call.headers, 'X-HMAC-Signature': '0'.repeat(64) };
    const path = '/eeid/webhooks/identification_requests';
    expect(await worker.fetch(path, { ...call, headers })).toMatchObject({ status: 401 });
  },
  approve: decide('approve'),
  reject: decide('reject'),
} satisfies Record<string, Deed>;
type Kind = keyof typeof deeds;
const kinds = Object.keys(deeds) as Kind[];

/** Whom the service has identified, as it tells everybody who asks. */
async function identifiedBy(link: string): Promise<string> {
  const url = link.replace('/identify/', '/api/ident/v1/identification_requests/');
  const answer = await fetch(url, { headers: { Authorization: 'Bearer sandbox-token.any' } });
  return ((await answer.json()) as { result: { sub: string } }).result.sub;
}

/** Sees the contact after each write, and holds what is in force to what was checked. */
class Witness {
  contact: Contact | undefined;
  /** The kinds of deeds that have written. */
  readonly written = new Set<Kind>();
  /** What each check was of. */
  private readonly checked = new Map<string, string>();
  /** The requests to the service from which a check has followed. */
  private readonly followed = new Set<string>();
  private readonly life: Life;

  constructor(life: Life) {
    this.life = life;
  }

  async look(kind: Kind | undefined, atFirst?: Contact): Promise<void> {
    const before = this.contact;
    const { code } = this.life;
    const [now] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
    this.contact = now;
    if (kind) this.written.add(kind);
    if (!now) return;
    const isSame = before?.uuid === now.uuid;
    for (const check of verificationsOf(now)) {
      const { claim, id } = check;
      const values = claimValues(claim, now);
      const was = before?.[verificationColumn[claim]];
      if (isSame && was?.id === id && was.result !== 'ended') {
        expect(values).toBe(claimValues(claim, before!));
      } else if (kind === 'undo') expect(values).toBe(this.checked.get(id));
      else if (kind === 'record') expect(values).toBe(claimValues(claim, atFirst!));
      else if (isSame) await this.judgeIdentified(kind, check, now);
      this.checked.set(id, values);
    }
    if (isSame) this.judgeRequest(before!, now);
    else expect(now.identityRequest).toBeNull();
  }

  /** The service alone has identified the person, as it is now on record, and once. */
  private async judgeIdentified(
    kind: Kind | undefined,
    { claim, reference }: ReturnType<typeof verificationsOf>[number],
    now: Contact,
  ): Promise<void> {
    expect(['verify', 'callback', 'approve']).toContain(kind);
    expect(claim).toBe('identity');
    const link = this.life.links.find((one) => idIn(one) === reference);
    expect(await identifiedBy(link!)).toBe(now.identCountryCode + now.ident);
    expect(this.followed.has(reference!)).toBe(false);
    this.followed.add(reference!);
  }

  /** What was asked about another identity has no consequences. */
  private judgeRequest(before: Contact, now: Contact): void {
    const { identityRequest } = now;
    if (claimValues('identity', before) === claimValues('identity', now)) return;
    expect(identityRequest === null || identityRequest.decided_at !== undefined).toBe(true);
  }
}

const hasWritten = (result: unknown) =>
  [result].flat().some((each) => ((each as D1Result).meta?.changes ?? 0) > 0);

const given = fc.record({
  change,
  claim: fc.constantFrom(...claims, 'identity' as const, 'identity' as const),
  result: fc.constantFrom('success' as const, 'success' as const, 'failed' as const),
  outcome: fc.constantFrom('match', 'match', 'mismatch', 'mismatch', 'mismatch', 'expired'),
  isOfIdentity: fc.boolean(),
  back: fc.constantFrom(0, 0, 0, 1, 2),
});
const step = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...kinds) },
    { weight: 8, arbitrary: fc.constantFrom<Kind[]>('verify', 'callback', 'approve', 'reject') },
    { weight: 4, arbitrary: fc.constantFrom<Kind[]>('record', 'operator', 'withdraw') },
  ),
  given,
  isTwice: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});
const burst = fc.array(step, { minLength: 1, maxLength: 3 });

it('whatever happens while the identity service calls, nothing is in force that was checked of another value', async () => {
  const registrar = await addRegistrar(worker.env);
  const people = [
    await addPerson(worker.env, { countryCode: 'LV', code: `RACE${unique()}` }),
    await addPerson(worker.env, { countryCode: 'LV', code: `RACE${unique()}` }),
  ];
  const written = new Set<Kind>();
  const order = fc.noShrink(fc.infiniteStream(fc.nat()));
  await fc.assert(
    fc.asyncProperty(
      fc.array(burst, { minLength: 10, maxLength: 20 }),
      order,
      async (bursts, draws) => {
        const code = `${registrar.code}:RACE${unique()}`;
        const life = { code, registrar, people, links: [], visited: new Set<string>() };
        const ident = people[0]!.code;
        await addContact(worker.env, registrar, { code, ident, identCountryCode: 'LV' });
        const witness = new Witness(life);
        await witness.look(undefined);

        const perform = async ({ kind, given }: (typeof bursts)[0][0], turn: Around) => {
          let atFirst: Contact | undefined;
          const db = aroundCalls(worker.env.DB, (send) =>
            turn(async () => {
              atFirst ??= witness.contact;
              const result = await send();
              if (hasWritten(result)) await witness.look(kind, atFirst);
              return result;
            }),
          );
          const request = { at: new Date(), requestId: newId() };
          await deeds[kind](db, life, { ...given, request }).catch((error) => {
            if (!(error instanceof RegistryError)) throw error;
          });
        };
        for (const steps of bursts) {
          const works = steps.flatMap((step) => {
            const work = (turn: Around) => perform(step, turn);
            return step.isTwice ? [work, work] : [work];
          });
          await inTurns(works, (count) => Number(draws.next().value) % count);
        }
        for (const kind of witness.written) written.add(kind);
      },
    ),
    { numRuns: runs(2, 60), endOnFailure: true },
  );
  // So many lives have something of everything.
  if (!drawsMany) return;
  const silent: Kind[] = ['visit', 'forged callback'];
  expect([...written].sort()).toEqual(kinds.filter((kind) => !silent.includes(kind)).sort());
});
