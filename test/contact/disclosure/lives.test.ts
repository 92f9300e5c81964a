import { eq, gte } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { contacts, disclosures } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../../src/base/error.ts';
import type { Origin } from '../../../src/change/write.ts';
import { deleteAnyContact, updateAnyContact } from '../../../src/contact/administer.ts';
import {
  declineDisclosure,
  grantDisclosure,
  openDisclosure,
} from '../../../src/contact/operator/disclosure/disclosure.ts';
import {
  answerBy,
  type Disclosure,
  listDueDisclosures,
} from '../../../src/contact/operator/disclosure/read.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { disclosuresOf } from '../../../src/contact/personal-data.ts';
import { addContact, addRegistrar, unique } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const isDeep = inject('isDeep');
const hours = 72;
const hourMilliseconds = 60 * 60 * 1000;

const acts = ['open', 'grant', 'refuse', 'return', 'erase', 'change holder', 'delete'] as const;
const command = fc.record({
  act: fc.constantFrom(...acts, 'open', 'grant', 'grant'),
  contact: fc.nat(1),
  /** Counted from the newest, so that two operators often mean the same request. */
  request: fc.nat(3),
  holder: fc.nat(2),
  ageHours: fc.nat(80),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;
/** What two operators do at once, and how much time passes after that. */
const step = fc.record({
  commands: fc.tuple(command, command),
  hours: fc.constantFrom(0, 0, 1, 12, 30),
});

/** Two contacts, whose holders change, and everything that was answered to the operators. */
class Life {
  now = new Date('2026-11-21T12:00:00.000Z');
  readonly opened = new Map<number, Disclosure>();
  readonly answered: { id: number; outcome: string; email: unknown }[] = [];
  readonly erased = new Set<string>();
  readonly people: { countryCode: string; code: string; firstName: string; lastName: string }[];
  readonly codes = [`LIVES:${unique()}`, `LIVES:${unique()}`];
  private readonly registrar: { id: number; code: string };

  constructor(registrar: { id: number; code: string }) {
    this.registrar = registrar;
    this.people = [0, 1, 2].map(() => ({
      ...{ countryCode: 'LV', code: `LIFE${unique()}` },
      ...{ firstName: 'Mari', lastName: 'Maasikas' },
    }));
  }

  private identity(holder: number) {
    const { code: ident } = this.people[holder]!;
    return { ident, email: `${ident.toLowerCase()}@example.ee` };
  }

  /** The contact with this code: again another one, if the last was deleted. */
  async findContact(code: string, holder: number) {
    const [found] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
    const identity = { ...this.identity(holder), identCountryCode: 'LV' };
    return found ?? addContact(worker.env, this.registrar, { code, ...identity });
  }

  async perform({ act, contact, request, holder, ageHours }: Command): Promise<void> {
    const code = this.codes[contact]!;
    const actor = { type: 'operator', name: 'Operator' } as const;
    const origin: Origin = { actor, request: { at: this.now, requestId: crypto.randomUUID() } };
    const id = [...this.opened.keys()].sort((one, other) => other - one)[request] ?? 1_000_000_000;
    const answer = (outcome: 'granted' | 'refused' | 'returned', email?: unknown) =>
      this.answered.push({ id, outcome, email });
    if (act === 'open') {
      const receivedAt = new Date(this.now.getTime() - ageHours * hourMilliseconds);
      const request = { requester: 'Jaan', identifiedBy: 'card', organization: 'Police' };
      const about = { contact: code, basis: 'law', requestedFields: ['email'] };
      const asked = { ...request, ...about, isConfidential: ageHours % 5 === 0, receivedAt };
      const row = await openDisclosure(worker.db, origin, asked);
      expect(this.opened.has(row.id)).toBe(false);
      this.opened.set(row.id, row);
    } else if (act === 'grant') {
      const { values } = await grantDisclosure(worker.db, origin, id, {});
      answer('granted', values.email);
    } else if (act === 'refuse' || act === 'return') {
      const outcome = act === 'refuse' ? 'refused' : 'returned';
      await declineDisclosure(worker.db, origin, id, { outcome, explanation: 'because' });
      answer(outcome);
    } else if (act === 'erase') {
      const { uuid } = await this.findContact(code, holder);
      await eraseContact(worker.db, origin, uuid);
      this.erased.add(uuid);
    } else if (act === 'delete') {
      await deleteAnyContact(worker.db, origin, code);
    } else await updateAnyContact(worker.db, origin, code, this.identity(holder));
  }

  async check(first: number): Promise<void> {
    const rows = await worker.db.select().from(disclosures).where(gte(disclosures.id, first));
    expect(rows.map(({ id }) => id)).toEqual([...this.opened.keys()].sort((a, b) => a - b));
    for (const row of rows) {
      const opened = this.opened.get(row.id)!;
      const answers = this.answered.filter(({ id }) => id === row.id);
      expect(answers.map(({ outcome }) => outcome)).toEqual(row.outcome ? [row.outcome] : []);
      const isErased = this.erased.has(opened.contactUuid!);
      const { contactUuid, identKey } = isErased ? { contactUuid: null, identKey: null } : opened;
      expect(row).toMatchObject({ contactUuid, identKey });
    }
    for (const { id, outcome, email } of this.answered) {
      const whose = `${this.opened.get(id)!.identKey!.toLowerCase()}@example.ee`;
      expect(email).toBe(outcome === 'granted' ? whose : undefined);
    }
    for (const person of this.people) {
      const theirs = rows.filter(
        (row) => row.outcome === 'granted' && !row.isConfidential && row.identKey === person.code,
      );
      expect(await disclosuresOf(worker.db, person, this.now)).toEqual(theirs);
    }
    const dueAt = new Date(this.now.getTime() + 24 * hourMilliseconds).toISOString();
    const due = rows.filter((row) => !row.outcome && answerBy(row, hours) <= dueAt);
    const listed = await listDueDisclosures(worker.db, hours, this.now);
    const ours = listed.filter(({ id }) => this.opened.has(id));
    expect(ours.map(({ id }) => id).sort()).toEqual(due.map(({ id }) => id).sort());
  }
}

it('whatever two operators do at once, each request is answered once, about whom it was opened', async () => {
  const registrar = await addRegistrar(worker.env);
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 25 }), async (steps) => {
      const life = new Life(registrar);
      const first = (await worker.db.$count(disclosures)) + 1;
      for (const [index, { commands, hours }] of steps.entries()) {
        for (const code of life.codes) await life.findContact(code, 0);
        const ended = await Promise.allSettled(commands.map((each) => life.perform(each)));
        for (const one of ended) {
          if (one.status === 'rejected' && !(one.reason instanceof RegistryError)) throw one.reason;
          const result = one.status === 'rejected' ? (one.reason as RegistryError).reason : 'done';
          outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
        }
        life.now = new Date(life.now.getTime() + hours * hourMilliseconds);
        if (index % 4 === 0) await life.check(first);
      }
      await life.check(first);
    }),
    { numRuns: isDeep ? 20 : 1, endOnFailure: true },
  );
  // So many lives have something of everything.
  if (!isDeep) return;
  for (const one of ['done', 'conflict', 'gone']) expect(outcomes.get(one)).toBeGreaterThan(0);
});
