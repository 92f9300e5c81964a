import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { everyRow } from '../../src/base/database/every-row.ts';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import type { ContactWithRegistrar } from '../../src/contact/contact.ts';
import { deleteAnyContact, listContactsBy } from '../../src/contact/operator/administer.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { rateLimits } from '../../src/worker/settings.ts';
import { addRegistrar, operator } from '../support/fixtures.ts';
import { answerHere, startWorker } from '../support/worker.ts';
import { type Command, doneEachTime, type Kinds, kindsOf } from './commands.ts';
import { type Fault, Faults, overload, passingMessages } from './faults.ts';

const worker = startWorker({ AUCTION_RESTART_STATUSES: 'payment_not_received' });

let kinds: Kinds;
let injected = 0;
const logged: string[] = [];
/** Codes and UUIDs that were asked for. */
const asked = new Set<string>();

beforeAll(async () => {
  kinds = kindsOf(worker.env, await addRegistrar(worker.env));
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(String(line)));
});

afterAll(() => {
  vi.restoreAllMocks();
});

/** The app in this process with the real bindings behind the faults; also what it leaves for later is done. */
async function answerTo({ path, init }: Command, faults: Faults, settings: Partial<Env> = {}) {
  // Not the last words of a route, which the log names.
  const [, name] = /\/(?:contacts|auctions)\/([^/?]*(?:[:-]|%3A)[^/?]*)/.exec(path) ?? [];
  if (name !== undefined) asked.add(name);
  const response = await answerHere(path, init, faults.wrap({ ...worker.env, ...settings }));
  return { status: response.status, text: await response.text() };
}

/** Without what differs from row to row. */
function told({ status, text }: { status: number; text: string }) {
  const same = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/[0-9a-f]{32,64}|whsec_[\w+/]{43}=/g, '<code>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll(/(REG\d+:)?(C|NEW|contact|domain|auction|user|REG|Registrar )\d+/g, '<name>')
    .replaceAll(
      /"((notification_)?id|total)":\d+|"ident":"[^"]*"|"code":"[A-Z0-9-]{6,}"|"country_code":"[^"]*"/g,
      '<own>',
    );
  return { status, text: same };
}

const kindNames = Object.keys(kindsOf({ DB: undefined } as never, {} as never));

const lasting: Fault[] = [
  { message: overload, isDone: false },
  { message: 'D1_ERROR: internal error', isDone: true },
];

/** Each of the messages in turn, as one call after the other fails. */
function passingFaults(place: number): Fault[] {
  const message = (turn: number) => passingMessages[(2 * place + turn) % 3] as string;
  return [
    { message: message(0), isDone: false },
    { message: message(1), isDone: true },
  ];
}

describe.each(kindNames)('%s', (name) => {
  it('is answered rightly, or as failed, whichever call of D1 fails, and ends in one state when it is repeated', async () => {
    const kind = kinds[name]!;
    const undisturbed = await kind();
    const calm = new Faults();
    const answer = await answerTo(undisturbed, calm);
    const expected = told(answer);
    const state = await undisturbed.state();
    const isFollowed = /^a (report|registrant’s .*update|new secret|new webhook|test)/.test(name);
    const callsBefore = isFollowed ? 2 : calm.calls.length;

    // Of what goes on after the answer, one call stands for all: failing-publication.test.ts fails each of them.
    const places = Math.min(calm.calls.length, callsBefore + 2);
    for (let place = 0; place < places; place++) {
      if (calm.calls[place] !== 'd1') continue;
      const passing = passingFaults(place);
      const possible = [...lasting, ...passing];
      // One of each kind at each place, in turn with and without effect; all of them in the deep run.
      const faults = inject('isDeep') ? possible : [lasting[place % 2]!, passing[(place + 1) % 2]!];
      for (const fault of faults) {
        const label = `call ${place}, ${fault.message}${fault.isDone ? ' (done)' : ''}`;
        const command = await kind();
        const failing = new Faults(fault, (call, binding) => call === place && binding === 'd1');
        injected += 1;

        const disturbed = await answerTo(command, failing);

        if (passing.includes(fault)) {
          expect(told(disturbed), label).toEqual(expected);
          expect(await command.state(), label).toEqual(state);
          continue;
        }
        // A failure after the answer has left changes nothing about it.
        if (place < callsBefore) expectFailure(command, disturbed, label);
        else expect(told(disturbed), label).toEqual(expected);
        if (doneEachTime.includes(name)) continue;
        const repeated = await answerTo(command, new Faults());
        expect(repeated.status, label).toBeLessThan(500);
        const isKeyed = 'Idempotency-Key' in (command.init.headers as object);
        if (isKeyed) expect(told(repeated), label).toEqual(expected);
        expect(await command.state(), label).toEqual(state);
      }
    }
  });
});

function expectFailure(
  { path }: Command,
  { status, text }: { status: number; text: string },
  label: string,
) {
  const message = expect.stringMatching(/^Internal error, request id [0-9a-f-]{36}$/);
  expect(status, label).toBe(500);
  expect(JSON.parse(text), label).toEqual(
    path.startsWith('/repp')
      ? { code: 2400, message, data: {}, errors: [{ code: 2400, message, field: null }] }
      : { errors: { base: [message] } },
  );
}

const reason = 'put up by mistake';
const callsOf = async (name: string, message: string, isWrite: boolean) => {
  const command = await kinds[name]!();
  let hasRead = false;
  const faults = new Faults({ message, isDone: false }, () => {
    // A write fails with each second call: what goes before it is the read.
    hasRead = !hasRead;
    return !(isWrite && hasRead);
  });
  const { status } = await answerTo(command, faults);
  expect(status).toBe(500);
  return faults.calls.length;
};

it.each(passingMessages)(
  'a fault of D1 that lasts is given up after four tries of a read: %s',
  async (message) => {
    expect(await callsOf('a read', message, false)).toBe(4);
    expect(await callsOf('an update', message, false)).toBe(4);
    expect(await callsOf('a registrant’s list', message, false)).toBe(4);
    expect(await callsOf('a read of an auction', message, false)).toBe(4);
  },
);

it('a fault of D1 that lasts is given up after four tries of a write, each behind its read', async () => {
  const [message] = passingMessages as [string];
  // The look at the history, whether a write in doubt was done, is a read too: it stands where a write would.
  expect(await callsOf('a creation', message, true)).toBe(8);
  expect(await callsOf('a deletion', message, true)).toBe(8);
  expect(await callsOf('a report of a payment', message, true)).toBe(8);
});

it.each<[string, (db: Database) => Promise<unknown>]>([
  ['deletion of a contact', (db) => deleteAnyContact({ db, origin: operator }, 'NONE:1')],
  [
    'list of contacts',
    (db) => Array.fromAsync(everyRow<ContactWithRegistrar>((page) => listContactsBy(db, {}, page))),
  ],
  [
    'cancellation of an auction by its UUID',
    (db) => cancelAuction({ db, origin: operator }, { auction: crypto.randomUUID(), reason }),
  ],
  [
    'cancellation of an auction by its name',
    (db) => cancelAuction({ db, origin: operator }, { auction: 'a.ee', reason }),
  ],
])(
  'a fault of D1 that lasts is given up after four tries of the operator’s %s',
  async (_, work) => {
    const faults = new Faults({ message: passingMessages[0]!, isDone: false }, () => true);
    await expect(work(openDatabase(faults.wrap(worker.env).DB))).rejects.toThrow();
    expect(faults.calls).toHaveLength(4);
  },
);

it('an overload of D1 is not retried at all, because more tries would add to it', async () => {
  expect(await callsOf('a read', overload, false)).toBe(1);
  expect(await callsOf('an update', overload, true)).toBe(2);
  expect(await callsOf('a report of a payment', overload, true)).toBe(2);
});

const policy = rateLimits.map((name) => `"${name}";q=600;w=60`).join(', ');

it.each(['a read', 'an update', 'a registrant’s list', 'a report of a payment'])(
  'a rate limiter that fails lets %s fail in its form, with nothing done',
  async (name) => {
    for (let place = 0; ; place++) {
      const command = await kinds[name]!();
      const before = await command.state();
      const fault = { message: 'rate limiter is down', isDone: false };
      const faults = new Faults(fault, (call, binding) => call === place && binding === 'limiter');
      const answer = await answerTo(command, faults, { RATE_LIMIT_POLICY: policy });
      if (faults.calls[place] !== 'limiter') break;
      expectFailure(command, answer, `limiter, call ${place}`);
      expect(await command.state()).toEqual(before);
    }
  },
);

it('logs each failure with its message, and with no value of a query', () => {
  const log = logged.join('\n');

  expect(log).toContain(overload);
  expect(asked.size).toBeGreaterThan(100);
  for (const text of [
    ...asked,
    'Same Name',
    'same@example',
    'Mari',
    'Kati',
    '5123456',
    '38001085718',
    'key-',
    'e2c440eba',
  ]) {
    expect(log).not.toContain(text);
  }
});

it('injects a fault into each call of D1 that each kind of request makes', () => {
  expect(injected).toBeGreaterThan(inject('isDeep') ? 150 : 75);
});
