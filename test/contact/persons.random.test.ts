import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { RegistryError } from '../../src/base/error.ts';
import type { Origin } from '../../src/change/origin.ts';
import {
  changeContactStatuses,
  deleteAnyContact,
  listDeletedContactsBy,
  updateAnyContact,
} from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { eraseFormerPerson } from '../../src/contact/operator/erase-former.ts';
import { transferContact } from '../../src/contact/operator/transfer.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { answerOf, registrarClient } from '../support/client.ts';
import { addPerson, addRegistrar, operator, send, unique } from '../support/fixtures.ts';
import { runs } from '../support/run.ts';
import { shareEmptyWorker } from '../support/worker.ts';

/**
 * Random lives of contacts whose codes are given again, whose identities are corrected, and whose changes are taken back.
 * Every value bears the mark of the person who has the contact at that time.
 */

const worker = shareEmptyWorker();
const repp = registrarClient(worker);

type Person = Awaited<ReturnType<typeof addPerson>> & { mark: string };
type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

interface World {
  persons: Person[];
  registrars: Registrar[];
  codes: string[];
  /** The requests of the operator. */
  past: string[];
}

interface Given {
  registrar: Registrar;
  other: Registrar;
  code: string;
  person: Person;
  origin: Origin;
  past: string[];
}

const valuesOf = ({ mark, code }: Person) => ({
  ...{ name: `${mark} Tamm`, email: `${mark}@example.ee`, phone: `+372.${mark.slice(1)}` },
  ...{ ident: code, street: `${mark} 1`, city: null, orgName: null },
});

/** Whose contact it is now, and its registrar. */
async function holderOf({ persons, registrars }: World, code: string) {
  const [contact] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  const person = persons.find((one) => one.code === contact?.ident);
  return { person, registrar: registrars.find(({ id }) => id === contact?.registrarId), contact };
}

const deeds: Record<string, (world: World, given: Given) => Promise<unknown>> = {
  create(_, { registrar, code, person }) {
    const { name, email, phone, street, ident } = valuesOf(person);
    const identity = { ident, ident_type: 'priv', ident_country_code: 'LV' };
    const body = { id: code.split(':')[1], name, email, phone, ident: identity, addr: { street } };
    return code.startsWith(`${registrar.code}:`)
      ? repp.create(registrar, body, { 'Idempotency-Key': crypto.randomUUID() })
      : Promise.resolve();
  },
  correct: (_, { code, person, origin }) =>
    updateAnyContact({ db: worker.db, origin }, code, valuesOf(person)),
  transfer: (_, { code, other, origin }) =>
    transferContact({ db: worker.db, origin }, code, other.code),
  delete: (_, { code, origin }) => deleteAnyContact({ db: worker.db, origin }, code),
  async undo(_, { origin, past }) {
    const request = past.at(-1);
    if (request)
      await revert({ db: worker.db, origin }, await planRevert({ db: worker.db, origin }, request));
  },
  async update(world, { code }) {
    const { person, registrar } = await holderOf(world, code);
    if (!person || !registrar) return;
    const city = `${person.mark} ${unique()}`;
    await repp.update(registrar, code, { addr: { city } }, { 'Idempotency-Key': city });
  },
  async verify(world, { code }) {
    const { person, registrar } = await holderOf(world, code);
    if (!person || !registrar) return;
    const verification = { claim: 'email', method: 'letter', reference: person.mark };
    await repp.request(registrar, 'POST', `/${code}/verifications`, { verification });
  },
  async note(world, { code, origin }) {
    const { person } = await holderOf(world, code);
    const status = 'serverTransferProhibited' as const;
    const note = `${person?.mark.replace('m', 'note ')} ${unique()}`;
    if (person)
      await changeContactStatuses({ db: worker.db, origin }, code, {
        add: [status],
        remove: [],
        note,
      });
  },
};

const step = fc.record({
  kind: fc.constantFrom(...Object.keys(deeds), 'create', 'correct', 'correct', 'undo'),
  registrar: fc.nat(1),
  code: fc.nat(1),
  person: fc.nat(2),
  back: fc.nat(2),
});

async function newWorld(): Promise<World> {
  const registrars = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const persons = [1, 2, 3].map(async () => {
    const mark = `9${String(unique()).padStart(6, '0')}`;
    return { ...(await addPerson(worker.env, { countryCode: 'LV' })), mark: `m${mark}` };
  });
  const codes = registrars.map(({ code }) => `${code}:AGAIN`);
  return { registrars, codes, past: [], persons: await Promise.all(persons) };
}

const exportOf = async (person: Person) =>
  JSON.stringify(
    (await answerOf(worker.fetch('/api/v1/registrant/export', send('GET', person)))).body,
  );

/** The rows with this text. */
async function rowsWith(mark: string): Promise<string[]> {
  const tables = ['contacts', 'history', 'idempotency_keys', 'disclosures', 'notifications'];
  const rows = await worker.env.DB.batch(
    tables.map((table) => worker.env.DB.prepare(`select * from ${table}`)),
  );
  return rows
    .flatMap(({ results }) => results.map((row) => JSON.stringify(row)))
    .filter((row) => row.includes(mark));
}

/** Erases the person as the lists of the tool lead to what is kept. */
async function erase({ code }: Person): Promise<void> {
  const present = await worker.db.select().from(contacts).where(eq(contacts.identKey, code));
  for (const { uuid } of present) {
    await removeProhibitions(uuid);
    await eraseContact(worker.operation, uuid);
  }
  for (let rounds = 0; rounds < 20; rounds++) {
    const page = { after: undefined, limit: 50 };
    const all = await listDeletedContactsBy(worker.db, { ident: code }, page);
    // Who had a contact twice, and at last, is no former person of it.
    const found = all.find(({ ended }) => ended === 'deleted') ?? all[0];
    if (!found) return;
    if (found.ended === 'deleted') await eraseContact(worker.operation, found.uuid);
    else await eraseFormerPerson(worker.operation, found.uuid, code);
  }
}

async function removeProhibitions(uuid: string): Promise<void> {
  await worker.db
    .update(contacts)
    .set({ statuses: [], statusNotes: {} })
    .where(eq(contacts.uuid, uuid));
}

test('nobody reads what belongs to another person, and all that is kept of one can be erased', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await newWorld();
      for (const { kind, registrar, code, person, back } of steps) {
        const { registrars, codes, past } = world;
        const origin: Origin = { actor: operator.actor, request: operator.request };
        await deeds[kind]!(world, {
          registrar: registrars[registrar]!,
          other: registrars[1 - registrar]!,
          code: codes[code]!,
          person: world.persons[person]!,
          origin,
          past: past.slice(0, past.length - back),
        }).catch((error) => {
          if (!(error instanceof RegistryError)) throw error;
        });
        world.past.push(origin.request.requestId);
      }
      for (const person of world.persons) {
        const read = await exportOf(person);
        for (const other of world.persons.filter((one) => one !== person)) {
          expect(read).not.toContain(other.mark);
          expect(read).not.toContain(other.mark.replace('m', 'note '));
        }
      }
      for (const person of world.persons) {
        await erase(person);
        expect(await rowsWith(person.mark)).toEqual([]);
      }
    }),
    { numRuns: runs(6, 100), endOnFailure: true },
  );
}, 1_800_000);
