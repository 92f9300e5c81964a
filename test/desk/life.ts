import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { expect, inject, vi } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Origin } from '../../src/change/origin.ts';
import { deskPages } from '../../src/desk/desk.tsx';
import { runProgram } from '../../src/tool/program.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { addRegistrar, addSystem } from '../support/fixtures.ts';
import { inProcessBindings } from '../support/in-process/bindings.ts';
import { inProcessDatabase } from '../support/in-process/database.ts';
import { unlessRefused } from '../support/random-changes.ts';
import { answerHere } from '../support/worker.ts';
import { captured } from '../tool/captured.ts';
import { databaseFile } from '../tool/empty-again.ts';
import { deeds } from './deeds.ts';
import {
  judgeHealth,
  judgePage,
  judgePublic,
  judgeSearch,
  judgeShown,
  judgeTool,
  type Read,
  readPage,
} from './judges.ts';
import { humans, newStory, present, type Story, settle } from './story.ts';

export type Step = readonly [
  kind: string,
  numbers: readonly [number, number, number],
  hours: number,
];

/** Names that are not on record, or can't be. */
const otherNames = ['pood.esimene.ee', 'esimen.ee', 'com.ee', 'esimene.org'];

export const settings = {
  ...{ ZONES: 'ee, com.ee', NAME_LETTERS: '', TIME_ZONE: '', REGISTRARS_URL: '', LOOKUP_URL: '' },
  ...{ ORPHAN_CONTACT_MONTHS: '1', DESK_LOOKS_DAYS: '30' },
  AUCTION_RESTART_STATUSES: 'payment_not_received,domain_not_registered',
};

/** A registry in which nothing has happened, with its clock at `start`. */
async function newRegistry() {
  const sqlite = new DatabaseSync(':memory:');
  sqlite.deserialize(readFileSync(databaseFile(inject('emptyRegistry'))));
  // The triggers ask for the time as well.
  sqlite.function('strftime', (_format, _now) => new Date().toISOString());
  const DB = inProcessDatabase(sqlite);
  // Past days are no matter of staff, and the lives have gaps that the archive reports.
  const { ARCHIVE: _, ...env } = inProcessBindings(DB, settings, undefined);
  const db = openDatabase(DB);
  const owners = [await addRegistrar(env), await addRegistrar(env)];
  const system = await addSystem(env);
  const story = newStory(new Map(owners.map((one) => [one.code, { user: one.apiUser.username }])));
  return { sqlite, env, db, owners, system, story };
}

const hour = 3_600_000;

/** Begins a life: `act` does a step and returns whether something was done, and `faults` gets what is said and is not so. */
export async function beginLife() {
  vi.setSystemTime('2026-03-01T09:00:00Z');
  const { sqlite, env, db, owners, system, story } = await newRegistry();
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
  const requests: { id: string; before: Story; after: Story }[] = [];

  async function read(path: string): Promise<Read> {
    const answer = await pages.request(path);
    const to = answer.headers.get('Location');
    if (to) return read(to);
    expect(answer.status, path).not.toBe(500);
    return readPage(path, await answer.text());
  }
  const noOf = (what: string) => (why: string) => void faults.add(`${what} ${why}`);
  const givenAt = (page: Read, key: string) => {
    const no = noOf(page.path.replace(/(?<=\/\w+\/).*/, ''));
    return { story, before: requests.at(-1)?.before ?? story, now: new Date(), page, key, no };
  };
  async function judge(path: string, key: string): Promise<Read> {
    const page = await read(path);
    judgePage(givenAt(page, key));
    return page;
  }
  const runTool = async (...words: string[]) =>
    (await captured(() => runProgram(words, async () => ({ env, dispose: async () => {} }))))
      .stdout;
  async function judgeName(name: string, isTold: boolean): Promise<void> {
    const page = await judge(`/name/${name}`, name);
    if (isTold) judgeTool(await runTool('name', name), page.answer, noOf('name'));
    const yesterday = new Date(Date.now() - 24 * hour).toISOString().slice(0, 10);
    const path = `/en/?name=${name}&as_of=${yesterday}`;
    const answer = await answerHere(path, {}, env);
    judgePublic(await answer.text(), { ...givenAt(page, name), no: noOf('/en/') });
  }
  /** Takes a request back in a copy of the registry, and compares with what its page says. */
  async function judgeRequest(id: string): Promise<void> {
    const { answer } = await read(`/request/${id}`);
    const said = answer.at(-1) ?? '';
    const copy = new DatabaseSync(':memory:');
    copy.deserialize(sqlite.serialize());
    const operation = { db: openDatabase(inProcessDatabase(copy)), origin: originNow() };
    const plan = planRevert(operation, id).then(async (one) => {
      if (one.count > 0) await revert(operation, one);
      return one.count > 0;
    });
    const isDone = await plan.catch(() => false);
    copy.close();
    if (isDone !== (said === 'It can be taken back.')) faults.add(`/request ${isDone}: ${said}`);
  }

  await deeds.cron!(
    {
      db,
      operation: { db, origin: originNow() },
      story,
      now: new Date(),
      system,
      owners,
      env,
      requests,
    },
    0,
    0,
    0,
  );

  return {
    faults,
    read,
    judge,
    story,
    async act([kind, numbers, hours]: Step): Promise<boolean> {
      vi.setSystemTime(Date.now() + hours * hour);
      const operation = { db, origin: originNow() };
      const before = structuredClone(story);
      const now = new Date();
      const given = { db, operation, story, now, system, owners, env, requests };
      await unlessRefused(deeds[kind]!(given, ...numbers));
      if (isDeepStrictEqual(story, before)) return false;
      settle(story, before, now);
      requests.push({
        id: operation.origin.request.requestId,
        before,
        after: structuredClone(story),
      });
      vi.setSystemTime(Date.now() + 61_000);
      return true;
    },
    /** Reads all that is said now. */
    async judgeAll(): Promise<void> {
      for (const { id } of requests.slice(-2)) await judgeRequest(id);
      const turn = requests.length;
      const { answer } = await judge('/', '');
      if (turn % 4 === 0) judgeHealth(await runTool('health'), answer, noOf('health'));
      const names = [...story.names.keys(), otherNames[turn % otherNames.length]!];
      for (const [n, name] of names.entries()) await judgeName(name, turn % names.length === n);
      for (const { uuid, code } of story.contacts) {
        await judge(`/contact/${uuid}`, uuid);
        if (!present(story).some((one) => one.code === code)) await judge(`/contact/${code}`, code);
      }
      for (const { uuid } of present(story)) await judge(`/person/${uuid}`, uuid);
      const shown = turn % 3 === 0 && present(story)[turn % present(story).length];
      if (shown)
        judgeShown(
          await runTool('contact', 'show', shown.code),
          story,
          shown,
          noOf('contact show'),
        );
      for (const { id } of story.disclosures) await judge(`/disclosure/${id}`, String(id));
      for (const code of story.registrars) await judge(`/registrar/${code}`, code);
      const texts = story.contacts.flatMap(({ code, uuid, versions }) => [
        ...[code, uuid],
        ...versions.flatMap((one) => [one.ident, one.email, one.phone, humans[one.human]!.name]),
      ]);
      for (const text of new Set([...texts, ...story.names.keys(), 'esimen.ee']))
        judgeSearch(text, givenAt(await read(`/find?q=${encodeURIComponent(text)}`), ''));
    },
  };
}

/** Returns what was said and is not so, without repetitions. What is false after a deed is mostly false after the next. */
export async function live(steps: readonly Step[]): Promise<string[]> {
  const { act, judgeAll, faults } = await beginLife();
  let deeds = 0;
  for (const [index, step] of steps.entries()) {
    const isDone = await act(step);
    if (isDone) deeds += 1;
    if ((isDone && deeds % 2 === 0) || index === steps.length - 1) await judgeAll();
  }
  return [...faults];
}
