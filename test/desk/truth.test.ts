import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Origin } from '../../src/change/origin.ts';
import { deskPages } from '../../src/desk/desk.tsx';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { addRegistrar, addSystem } from '../support/fixtures.ts';
import { inProcessBindings } from '../support/in-process/bindings.ts';
import { inProcessDatabase } from '../support/in-process/database.ts';
import { unlessRefused } from '../support/random-changes.ts';
import { databaseFile } from '../tool/empty-again.ts';
import { judgePage, judgeSearch, kinds, readPage } from './judges.ts';
import { deeds, humans, newStory, present } from './story.ts';

/*
 * Random lives of a registry, and a plain story of what was done, which knows nothing of its tables. After each deed,
 * every page of every thing is read, and a judge compares each sentence with the story. A sentence that no judge knows
 * fails. `LIVES=300 npm test -- desk/truth` tries more lives, and prints how many had each false sentence.
 */

type Step = readonly [kind: string, numbers: readonly [number, number, number], hours: number];

/** What happens in one life is mostly of one sort, so that it meets. */
const sorts: Record<string, string> = {
  people:
    'create contact,create contact,other person,other code and address,delete contact,erase contact,transfer contact,registrar changes its contact,look,look,look',
  data: 'create contact,create contact,create contact,ask for data,ask for data,ask for data,give data,give data,give data,refuse data,erase contact,other person,other code and address,delete contact,delete contact',
  domains:
    'create contact,move domain in,move domain in,other holder,transfer domain,remove domain,other code and address',
  auctions:
    'create contact,start auction,start auction,report on auction,report on auction,report on auction,winner registers,winner registers,correct auction,cancel auction,move domain in,remove domain,retain name,release name,open dispute',
  lists:
    'retain name,retain name,release name,open dispute,open dispute,close dispute,start auction,create contact,move domain in',
};

const lifeOf = (names: readonly string[]): fc.Arbitrary<Step[]> => {
  // Often the same one, so that deeds meet.
  const number = fc.oneof(fc.constant(0), fc.nat(11));
  const step = fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...names) },
      fc.constantFrom(...Object.keys(deeds)),
    ),
    fc.tuple(number, number, number),
    fc.constantFrom(2, 2, 2, 30, 24 * 8),
  );
  return fc.array(step, { minLength: 12, maxLength: 30 });
};

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

/** Returns what was said and is not so, without repetitions. */
async function live(steps: readonly Step[]): Promise<string[]> {
  vi.setSystemTime('2026-03-01T09:00:00Z');
  const sqlite = new DatabaseSync(':memory:');
  sqlite.deserialize(readFileSync(databaseFile(inject('emptyRegistry'))));
  const DB = inProcessDatabase(sqlite);
  const settings = { ZONES: '', NAME_LETTERS: '', TIME_ZONE: '' };
  const restarts = { AUCTION_RESTART_STATUSES: 'no_bids, payment_not_received' };
  const env = inProcessBindings(DB, { ...settings, ...restarts }, undefined);
  const db = openDatabase(DB);
  const owners = [await addRegistrar(env), await addRegistrar(env)];
  const system = await addSystem(env);
  const story = newStory(owners.map(({ code }) => code));
  const logins = owners.map(({ login }) => login);
  const originNow = (): Origin => ({
    actor: { type: 'operator', name: 'Operator olga' },
    request: { at: new Date(), requestId: crypto.randomUUID() },
  });
  const pages = deskPages({
    title: 'local registry',
    open: async () => {
      const service = { address: undefined };
      return { db, origin: originNow(), env, isDeployed: false, service };
    },
    record: undefined,
    commandLine: (words) => words.join(' '),
    log(error) {
      throw error;
    },
  });
  const faults = new Set<string>();

  async function read(path: string): Promise<ReturnType<typeof readPage>> {
    const answer = await pages.request(path);
    const to = answer.headers.get('Location');
    if (to) return read(to);
    expect(answer.status, path).not.toBe(500);
    return readPage(path, await answer.text());
  }
  async function judge(path: string, key: string, search?: string): Promise<void> {
    const page = await read(path);
    const given = { story, now: new Date(), page, key };
    const no = (why: string) => void faults.add(`${path.replace(/(?<=\/\w+\/).*/, '')} ${why}`);
    if (search === undefined) judgePage({ ...given, no });
    else judgeSearch(search, { ...given, no });
  }
  /** Takes a request back in a copy of the registry, and compares with what its page says. */
  async function judgeRequest(id: string): Promise<void> {
    const { answer } = await read(`/request/${id}`);
    const said = answer.at(-1) ?? '';
    const copy = new DatabaseSync(':memory:');
    copy.deserialize(sqlite.serialize());
    const operation = { db: openDatabase(inProcessDatabase(copy)), origin: originNow() };
    const isDone = await planRevert(operation, id)
      .then((plan) => revert(operation, plan))
      .then(
        () => true,
        () => false,
      );
    copy.close();
    if (isDone !== (said === 'It can be taken back.')) faults.add(`/request ${isDone}: ${said}`);
  }

  const requests: string[] = [];
  for (const [kind, numbers, hours] of steps) {
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    const operation = { db, origin: originNow() };
    const before = JSON.stringify([story, ...story.names]);
    const given = { db, operation, story, now: new Date(), system, logins, DB };
    await unlessRefused(deeds[kind]!(given, ...numbers));
    if (JSON.stringify([story, ...story.names]) === before) continue;
    requests.push(operation.origin.request.requestId);
    vi.setSystemTime(Date.now() + 61_000);
    for (const id of requests.slice(-2)) await judgeRequest(id);
    await judge('/', '');
    for (const name of story.names.keys()) await judge(`/name/${name}`, name);
    for (const { uuid, code } of story.contacts) {
      await judge(`/contact/${uuid}`, uuid);
      if (!present(story).some((one) => one.code === code)) await judge(`/contact/${code}`, code);
    }
    for (const { uuid } of present(story)) await judge(`/person/${uuid}`, uuid);
    for (const { id } of story.disclosures) await judge(`/disclosure/${id}`, String(id));
    for (const code of story.registrars) await judge(`/registrar/${code}`, code);
    const texts = story.contacts.flatMap(({ code, uuid, versions }) => [
      ...[code, uuid],
      ...versions.flatMap((one) => [one.ident, one.email, one.phone, humans[one.human]!.name]),
    ]);
    for (const text of new Set(texts)) await judge(`/find?q=${encodeURIComponent(text)}`, '', text);
  }
  return [...faults];
}

const { LIVES } = process.env;
const livesOfSort = LIVES ? Math.ceil(Number(LIVES) / 5) : inject('isDeep') ? 8 : 1;

test.each(Object.entries(sorts))(
  'what the desk says is true in lives of %s',
  async (_, names) => {
    const life = lifeOf(names.split(','));
    if (!LIVES) {
      const property = fc.asyncProperty(life, async (steps) => {
        expect(await live(steps)).toEqual([]);
      });
      return fc.assert(property, { numRuns: livesOfSort });
    }
    const counted = new Map<string, number>();
    for (const steps of fc.sample(life, { numRuns: livesOfSort })) {
      const kindsOfFaults = (await live(steps)).map((fault) =>
        fault.replace(/\d+|\w{3} (?=\d)/g, '#'),
      );
      for (const fault of new Set(kindsOfFaults)) counted.set(fault, (counted.get(fault) ?? 0) + 1);
    }
    expect(Object.fromEntries(counted)).toEqual({});
  },
  LIVES ? 86_400_000 : undefined,
);

test('each judge knows a kind of sentences of its own', () => {
  expect(new Set(kinds.map(([pattern]) => pattern)).size).toBe(kinds.length);
});
