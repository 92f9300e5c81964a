import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Claim, claims } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../../src/base/error.ts';
import { type Contact, getContactByCode } from '../../../src/contact/contact.ts';
import { verificationColumn } from '../../../src/contact/fields.ts';
import { updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { importContacts } from '../../../src/contact/operator/import.ts';
import {
  recordVerification,
  withdrawVerification,
} from '../../../src/contact/verification/verification.ts';
import { verificationsOf } from '../../../src/contact/verifications.ts';
import { planRevert, revert } from '../../../src/undo/revert.ts';
import { registrantClient, registrarClient } from '../../support/client.ts';
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
import { shareWorker } from '../../support/worker.ts';
import { change, claimValues } from './claims.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

const acts = [
  ...(['registrar', 'registrant', 'operator', 'identity', 'undo', 'record', 'withdraw'] as const),
  'erase' as const,
];
const step = fc.record({
  act: fc.constantFrom(...acts, 'record', 'record', 'operator', 'undo'),
  change,
  claim: fc.constantFrom(...claims, 'identity'),
  result: fc.constantFrom('success', 'success', 'failed'),
  /** Which of the past requests, counted from the newest. */
  past: fc.nat(2),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** For each claim, the check that is in force. */
type InForce = Partial<Record<Claim, string>>;

/** One contact, and what is known of it without the service's help. */
class Life {
  inForce: InForce = {};
  readonly requests: { id: string; before: InForce }[] = [];
  readonly code: string;
  private readonly registrar: Awaited<ReturnType<typeof addRegistrar>>;
  private readonly people: Awaited<ReturnType<typeof addPerson>>[];
  /** Those of the people, and a birthday. */
  readonly identities: { ident: string; identType: string }[];

  constructor(registrar: Life['registrar'], people: Life['people']) {
    this.registrar = registrar;
    this.people = people;
    const codes = people.map(({ code }) => ({ ident: code, identType: 'priv' }));
    this.identities = [...codes, { ident: '1980-01-02', identType: 'birthday' }];
    this.code = `${registrar.code}:LIFE${unique()}`;
  }

  contact(): Promise<Contact> {
    return getContactByCode(worker.db, this.code);
  }

  /** Does it, and notes of the checks what is not a matter of changed values. */
  async perform({ act, change, claim, result, past }: Step): Promise<void> {
    const { code, registrar } = this;
    const before = await this.contact();
    const { actor, request } = operator;
    const origin = { actor, request };
    const known = { ...this.inForce };
    if (act === 'registrar') {
      const { city, ...others } = { city: undefined, ...change };
      const sent = { ...others, ...(city && { addr: { city } }) };
      expect(await repp.update(registrar, code, sent)).toMatchObject({ status: 200 });
    } else if (act === 'registrant') {
      const { city, ...others } = { city: undefined, ...change };
      const person = this.people.find((one) => one.code === before.ident);
      // Whoever is known by a birthday cannot log in.
      if (!person) return;
      const { uuid } = before;
      const sent = { ...others, ...(city && { address: { city } }) };
      expect(await portal.update(person, uuid, sent)).toMatchObject({ status: 200 });
    } else if (act === 'operator' || act === 'identity') {
      const identity = this.identities[past]!;
      const changes = act === 'identity' ? identity : change;
      await updateAnyContact({ db: worker.db, origin }, code, changes);
      this.requests.unshift({ id: request.requestId, before: known });
    } else if (act === 'undo') {
      const made = this.requests[past];
      if (!made) return;
      const plan = await planRevert({ db: worker.db, origin }, made.id);
      if (plan.reversals.length === 0) return;
      await revert({ db: worker.db, origin }, plan);
      this.inForce = { ...made.before };
    } else if (act === 'record') {
      const check = { claim, method: 'eid', result } as const;
      const recorded = await recordVerification(
        { db: worker.db, login: registrar.login, request },
        code,
        check,
      );
      this.inForce[claim] = recorded.outcome.id;
    } else if (act === 'withdraw') {
      const id = this.inForce[claim] ?? 'none';
      await withdrawVerification({ db: worker.db, login: registrar.login, request }, code, id);
      delete this.inForce[claim];
    } else {
      await eraseContact({ db: worker.db, origin }, before.uuid);
      await this.import(claim, result);
    }
    if (act !== 'undo' && act !== 'erase') await this.dropChanged(before);
  }

  /** Another contact with the code, of which a claim was checked elsewhere. */
  private async import(claim: Claim, result: 'success' | 'failed'): Promise<void> {
    const check = verification({ result });
    const person = { ident: this.people[0]!.code, identCountryCode: 'LV', city: 'Tartu' };
    const given = { ...contactValues, ...person };
    const registrar = this.registrar.code;
    const record = { ...given, code: this.code, registrar, [verificationColumn[claim]]: check };
    await importContacts(worker.operation, [record]);
    this.inForce = { [claim]: check.id };
    this.requests.length = 0;
  }

  /** Whatever changed the value of a claim, its check is over. */
  private async dropChanged(before: Contact): Promise<void> {
    const after = await this.contact();
    for (const claim of claims) {
      const isSame = claimValues(claim, before) === claimValues(claim, after);
      if (!isSame) delete this.inForce[claim];
    }
  }

  async check(): Promise<void> {
    const shown = verificationsOf(await this.contact());
    expect(Object.fromEntries(shown.map(({ claim, id }) => [claim, id]))).toEqual(this.inForce);
  }
}

it('whoever changes a value, by whatever way, what was verified of the one before is no longer in force', async () => {
  const registrar = await addRegistrar(worker.env);
  const people = [
    await addPerson(worker.env, { countryCode: 'LV', code: `LIFE${unique()}` }),
    await addPerson(worker.env, { countryCode: 'LV', code: `LIFE${unique()}` }),
  ];
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.nat(2),
      fc.array(step, { minLength: 20, maxLength: 30 }),
      async (n, steps) => {
        const life = new Life(registrar, people);
        const { code, identities } = life;
        await addContact(worker.env, registrar, { code, ...identities[n], identCountryCode: 'LV' });
        for (const each of steps) {
          const outcome = await life.perform(each).then(
            () => 'done',
            (error) => {
              if (error instanceof RegistryError) return error.reason;
              throw error;
            },
          );
          const key = `${each.act} ${outcome}`;
          outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
          await life.check();
        }
      },
    ),
    { numRuns: runs(2, 40), endOnFailure: true },
  );
  // So many lives have something of everything.
  if (!drawsMany) return;
  for (const act of acts) expect(outcomes.get(`${act} done`)).toBeGreaterThan(0);
});
