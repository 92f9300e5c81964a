import { asc, eq, inArray } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import {
  contacts,
  disputes,
  domainContacts,
  domains,
  history,
  registrars,
  retainedDomains,
} from '../../drizzle/schema.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/administer.ts';
import { importContacts } from '../../src/contact/import.ts';
import { importDomains } from '../../src/domain/import.ts';
import { parseDomainName } from '../../src/domain/name.ts';
import { removeDomains } from '../../src/domain/remove.ts';
import { updateDomain } from '../../src/domain/update.ts';
import { RegistryError } from '../../src/error.ts';
import {
  addRetainedDomains,
  removeRetainedDomains,
} from '../../src/retained-domain/change-names.ts';
import { closeDispute, openDispute } from '../../src/retained-domain/dispute.ts';
import { planRevert, type RevertPlan } from '../../src/revert/plan-revert.ts';
import type { Reversal } from '../../src/revert/reversal.ts';
import { revert } from '../../src/revert/revert.ts';
import type { Origin } from '../../src/write.ts';
import { addRegistrar, contactValues, operator, unique } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

/** Two registrars with three codes each, and three names: few, so that what is made meets what was there. */
async function newPool() {
  const both = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  return {
    registrars: both.map(({ code }) => code),
    codes: both.flatMap(({ code }) => [1, 2, 3].map((n) => `${code}:${n}`)),
    names: [1, 2, 3].map(() => parseDomainName(`õ${unique()}.ee`)),
  };
}

type Pool = Awaited<ReturnType<typeof newPool>>;

/** Everything that the pool has. Contacts are told apart by their UUIDs, since codes are given to others. */
async function snapshotOf({ codes, names }: Pool): Promise<Map<string, unknown>> {
  const uniqueNames = names.map(({ name }) => name);
  const people = await worker.db
    .select({ contact: contacts, registrar: registrars.code })
    .from(contacts)
    .innerJoin(registrars, eq(registrars.id, contacts.registrarId))
    .where(inArray(contacts.code, codes));
  const links = await worker.db
    .select({ domain: domains, role: domainContacts.role, uuid: contacts.uuid })
    .from(domains)
    .leftJoin(domainContacts, eq(domainContacts.domainId, domains.id))
    .leftJoin(contacts, eq(contacts.id, domainContacts.contactId))
    .where(inArray(domains.name, uniqueNames))
    .orderBy(asc(domainContacts.role), asc(contacts.uuid));
  const kept = await worker.db
    .select()
    .from(retainedDomains)
    .where(inArray(retainedDomains.name, uniqueNames));
  const disputed = await worker.db
    .select()
    .from(disputes)
    .where(inArray(disputes.name, uniqueNames))
    .orderBy(asc(disputes.firstDay), asc(disputes.lastDay));
  return new Map<string, unknown>([
    ...people.map(({ contact: { code, uuid, city }, registrar }): [string, unknown] => [
      `contact ${code}`,
      { uuid, city, registrar },
    ]),
    ...Array.from(
      Map.groupBy(links, ({ domain }) => domain.name),
      ([name, some]): [string, unknown] => [
        `domain ${name}`,
        {
          registrar: some[0]!.domain.registrarId,
          contacts: some.map(({ role, uuid }) => `${role} ${uuid}`),
        },
      ],
    ),
    ...kept.map(({ name, status, lastDay }): [string, unknown] => [
      `retained_domain ${name} ${status}`,
      lastDay,
    ]),
    ...Array.from(
      Map.groupBy(disputed, ({ name }) => name),
      ([name, some]): [string, unknown] => [
        `dispute ${name}`,
        some.map(({ firstDay, lastDay, closedAt }) => [firstDay, lastDay, closedAt]),
      ],
    ),
  ]);
}

/** The key in a snapshot of what a reversal changes. */
function placeOf({ subject, key, changes }: Reversal): string {
  if (subject !== 'retained_domain') return `${subject} ${key}`;
  const { status } = changes;
  const given = status && 'from' in status ? (status.from ?? status.to) : 'reserved';
  return `${subject} ${key} ${given}`;
}

type Numbers = readonly [number, number, number];
type Command = (origin: Origin, pool: Pool, numbers: Numbers) => Promise<unknown>;

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
const domainOf = ({ names, registrars, codes }: Pool, [a, b, c]: Numbers) => ({
  ...at(names, a),
  registrar: at(registrars, b),
  registrant: at(codes, c),
  ...{ admin: [at(codes, b)], tech: b % 2 === 0 ? [] : [at(codes, a), at(codes, c)] },
});
const lastDays = [null, '2026-05-31', '2026-06-01', '2027-01-31'];
const retained = ({ names }: Pool, [a, b, c]: Numbers) => {
  const isReserved = b % 2 === 0;
  const status = isReserved ? ('reserved' as const) : ('blocked' as const);
  return [at(names, a), at(names, c)].map((name) => {
    return { ...name, status, lastDay: isReserved ? at(lastDays, c) : null };
  });
};
const add: Command = (origin, { codes }, [a, b]) =>
  importContacts(
    worker.db,
    origin,
    [...new Set([at(codes, a), at(codes, b)])].map((code) => {
      return { ...contactValues, code, registrar: code.split(':')[0]!, uuid: crypto.randomUUID() };
    }),
  );

const commands: Record<string, Command> = {
  'import contacts': add,
  'update contact': (origin, { codes }, [a, b]) =>
    updateAnyContact(worker.db, origin, at(codes, a), { city: `Linn ${b}` }),
  'delete contact': (origin, { codes }, [a]) => deleteAnyContact(worker.db, origin, at(codes, a)),
  'import domains': (origin, pool, [a, b, c]) =>
    importDomains(worker.db, origin, [domainOf(pool, [a, b, c]), domainOf(pool, [b, c, a])]),
  'import contacts and a domain': async (origin, pool, [a, b, c]) => {
    await add(origin, pool, [b, c, a]);
    await importDomains(worker.db, origin, [domainOf(pool, [a, b, c])]);
  },
  'update domain': (origin, pool, [a, b, c]) => {
    const { registrant, admin } = domainOf(pool, [a, b, c]);
    return updateDomain(worker.db, origin, at(pool.names, a), { registrant, admin });
  },
  'remove domains': (origin, { names }, [a, b]) =>
    removeDomains(worker.db, origin, [at(names, a).name, at(names, b).name]),
  'retain names': (origin, pool, numbers) =>
    addRetainedDomains(worker.db, origin, retained(pool, numbers)),
  'release names': (origin, pool, numbers) =>
    removeRetainedDomains(worker.db, origin, retained(pool, numbers)),
  'open dispute': (origin, { names }, [a, b]) =>
    openDispute(worker.db, origin, {
      ...at(names, a),
      ...{ firstDay: `202${5 + (b % 3)}-01-01`, lastDay: `202${5 + (b % 3)}-12-31` },
    }),
  'close dispute': (origin, { names }, [a]) => closeDispute(worker.db, origin, at(names, a)),
};

/** The result, or undefined if the registry refuses. */
async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RegistryError && error.reason !== 'unexpected') return undefined;
    throw error;
  }
}

/** Runs the plan, and holds its outcome to what it promised and to what was there before the request. */
async function holdToPlan(origin: Origin, plan: RevertPlan, pool: Pool, before: Snapshot) {
  const expected = await snapshotOf(pool);
  for (const place of plan.reversals.map(placeOf)) {
    if (before.has(place)) expected.set(place, before.get(place));
    else expected.delete(place);
  }
  await revert(worker.db, origin, plan);
  expect(Object.fromEntries(await snapshotOf(pool))).toEqual(Object.fromEntries(expected));
  const entries = await worker.db
    .select()
    .from(history)
    .where(eq(history.requestId, origin.request.requestId));
  const made = entries.map(({ action, subject, subjectKey }) => [action, subject, subjectKey]);
  const promised = plan.reversals.map(({ action, subject, key }) => [action, subject, key]);
  expect(made.sort()).toEqual(promised.sort());
}

type Snapshot = Awaited<ReturnType<typeof snapshotOf>>;

type Step = readonly [name: string, numbers: Numbers];

/** A command, or several where the code of a former contact of a domain is given to somebody else. */
const stepsOf = ([name, numbers]: Step): Step[] => {
  if (name !== 'give code away') return [[name, numbers]];
  const codes = numbers.map((n): Step => ['import contacts', [n, n, n]]);
  return [
    ...codes,
    ['import domains', numbers],
    ['remove domains', numbers],
    ['delete contact', [numbers[2], 0, 0]],
    codes[2]!,
    // The removal.
    ['revert', [2, 0, 0]],
  ];
};

const numbers = fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11));
const steps = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('give code away', ...Object.keys(commands)), numbers),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant('revert'), numbers) },
  ),
  { minLength: 15, maxLength: 40 },
);

test('whatever was undone is as it was before, in any order, and each plan is carried out as promised', async () => {
  let reverts = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const pool = await newPool();
      const past: { request: string; before: Snapshot }[] = [];
      // So that the first commands find something.
      const begin: Step = ['import contacts', [0, 4, 0]];
      for (const [name, given] of [begin, ...drawn.flatMap(stepsOf)]) {
        const now = new Date(Date.UTC(2026, 4, 31, past.length));
        const request = { at: now, requestId: crypto.randomUUID() };
        const origin = { actor: operator.actor, request };
        const before = await snapshotOf(pool);
        if (name !== 'revert') {
          await unlessRefused(commands[name]!(origin, pool, given));
        } else {
          const [newest] = given;
          const target = past.at(-1 - (newest % past.length))!;
          const plan = await unlessRefused(planRevert(worker.db, origin, target.request));
          if (!plan || plan.reversals.length === 0) continue;
          await holdToPlan(origin, plan, pool, target.before);
          reverts += 1;
        }
        past.push({ request: request.requestId, before });
      }
    }),
    { numRuns: inject('isDeep') ? 60 : 4, endOnFailure: true },
  );
  expect(reverts).toBeGreaterThan(3);
}, 600_000);
