import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { deskPages } from '../../src/desk/desk.tsx';
import { readOnly, recordLooks } from '../../src/desk/guard.ts';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { runCron } from '../../src/worker/cron.ts';
import { addLook } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { openKept, startTool, type TestRegistry } from '../tool/tool.ts';

const tool = startTool();
const worker = shareEmptyWorker();

const uuidOf = async (registry: TestRegistry, code: string): Promise<string> =>
  (await registry.done(['contact', 'show', code])).contact.uuid;

/** Somebody looked at things on the deployed desk, in this order. */
function look(registry: TestRegistry, ...looks: [by: string, subject: string, key: string][]) {
  for (const [index, [by, subject, key]] of looks.entries()) {
    registry.edit(`insert into desk_looks (looked_at, looked_by, subject, key)
      values ('2026-11-2${index}T12:00:00.000Z', '${by}@registry.example', '${subject}', '${key}')`);
  }
}

async function contactPage(registry: TestRegistry, key: string): Promise<string> {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request(`/contact/${key}`));
  expect(answer.status).toBe(200);
  return (await answer.text())
    .replace(/<\/?bdi[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

test('contact looks lists who looked at this contact, the newest first, in each form', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  const uuid = await uuidOf(registry, 'ALPHA:1');
  const other = await uuidOf(registry, 'ALPHA:2');
  look(registry, ['mari', 'contact', uuid], ['juri', 'contact', uuid], ['ann', 'contact', other]);
  look(registry, ['ann', 'request', uuid], ['ann', 'search', '']);
  const looks = [
    { looked_at: '2026-11-21T12:00:00.000Z', looked_by: 'juri@registry.example' },
    { looked_at: '2026-11-20T12:00:00.000Z', looked_by: 'mari@registry.example' },
  ];
  expect(await registry.done('contact looks alpha:1')).toEqual({ looks });
  expect(await registry.done(['contact', 'looks', uuid])).toEqual({ looks });
  const { stdout } = await registry.run('contact looks ALPHA:1 --csv');
  const rows = looks.map(({ looked_at, looked_by }) => `${looked_at},${looked_by}\n`);
  expect(stdout).toBe(`looked_at,looked_by\n${rows.join('')}`);
  expect((await registry.run('contact looks ALPHA:1')).stdout).toMatch(
    /^LOOKED AT +LOOKED BY\n.*juri@registry\.example\n.*mari@registry\.example\n$/,
  );
  expect((await registry.run('contact looks ALPHA:3')).status).toBe(1);
});

test('the page of a contact lists each look, the newest first, says since when looks are kept, and that the desk on this machine records nothing', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  const uuid = await uuidOf(registry, 'ALPHA:1');
  look(registry, ['mari', 'contact', uuid], ['juri', 'contact', uuid], ['mari', 'contact', uuid]);
  const before = (await registry.rows()).desk_looks;
  expect(await contactPage(registry, 'ALPHA:1')).toMatch(
    /local registry: looks are not recorded .* Who looked mari@registry\.example, Sun 22 Nov 2026, 12:00 UTC \([^)]+\) juri@registry\.example, Sat 21 Nov 2026, 12:00 UTC \([^)]+\) mari@registry\.example, Fri 20 Nov .* The oldest look that is kept, at anything, is of Fri 20 Nov 2026, 12:00 UTC/,
  );
  expect(await contactPage(registry, 'ALPHA:2')).toContain(
    'Who looked Nobody since Fri 20 Nov 2026, 12:00 UTC',
  );
  expect((await registry.rows()).desk_looks).toEqual(before);
});

test('looks belong to one life of a code, and outlast the erasure of the contact', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:1');
  const uuid = await uuidOf(registry, 'ALPHA:1');
  look(registry, ['mari', 'contact', uuid]);
  await registry.done('contact erase ALPHA:1 --yes');
  await registry.addContacts('ALPHA:1');
  expect(await registry.done(['contact', 'looks', await uuidOf(registry, 'ALPHA:1')])).toEqual({
    looks: [],
  });
  expect((await registry.done(['contact', 'looks', uuid])).looks).toHaveLength(1);
  expect(await contactPage(registry, uuid)).toContain('mari@registry.example');
});

test('every page works through the guard, and says of whom it has data', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const person = 'Mari Maasikas,mari@maasikas.example,+372.5551231,48703146529,priv,EE';
  await registry.importContacts(`ALPHA:1,${person}\nALPHA:2,${person}\nALPHA:3,${person}\n`);
  const one = await uuidOf(registry, 'ALPHA:1');
  const two = await uuidOf(registry, 'ALPHA:2');
  const gone = await uuidOf(registry, 'ALPHA:3');
  await registry.done('domain import -', 'name,registrar,registrant\nkohvik.ee,ALPHA,ALPHA:1\n');
  const { request_id: request } = await registry.done('contact update ALPHA:1 --city Tartu');
  await registry.done('contact delete ALPHA:3 --yes');
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:1', '--requester', 'Police'],
    ...['--identified-by', 'card', '--organization', 'Police', '--basis', 'x', '--fields', 'name'],
  ]);
  registry.edit(`insert into history
      (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
    values ('2026-01-02T03:04:05.678Z', 'contact', 'ALPHA:2', '${two}', 'ALPHA', 'update', 'api_user', '7-ApiUser: ats', '{}')`);
  registry.edit(`insert into history
      (occurred_at, subject, subject_key, registrar, action, actor_type, actor, changes)
    values ('2024-01-02T03:04:05.678Z', 'contact', 'ALPHA:OLD', 'ALPHA', 'delete', 'operator', 'Operator', '{"name":{"from":"Mari","to":null}}')`);
  const { env, dispose } = await registry.open();
  onTestFinished(dispose);
  const guarded = readOnly(env);
  const db = openDatabase(guarded.DB);
  const at = new Date();
  const actor = { type: 'operator', name: 'mari@registry.example' } as const;
  const pages = deskPages({
    title: 'a registry',
    async open() {
      const origin = { actor, request: { at, requestId: crypto.randomUUID() } };
      return { db, env: guarded, origin, isDeployed: true, service: { address: undefined } };
    },
    record: (_, looks) => recordLooks(guarded.DB, looks, actor.name, at),
    commandLine: (words) => words.join(' '),
  });
  const contacts = (...uuids: string[]) => uuids.map((uuid) => `contact ${uuid}`);
  const expected = {
    '/': ['today '],
    '/find?q=': ['search '],
    '/find?q=maasikas': ['search ', ...contacts(one, two, gone)],
    '/find?q=maasikaz': ['search ', ...contacts(one, two, gone)],
    '/find?q=48703146529': ['search '],
    [`/person/${one}`]: contacts(one, two, gone),
    '/find?q=kohvik.ee': ['search '],
    '/find?q=kohvk.ee': ['search '],
    '/find?q=nobody': ['search '],
    '/contact/alpha:1': contacts(one),
    '/contact/ALPHA:3': contacts(gone),
    [`/contact/${gone}`]: contacts(gone),
    // An entry of the first builds, without a UUID.
    '/contact/ALPHA:OLD': contacts('ALPHA:OLD'),
    '/contact/ALPHA:4': [],
    [`/looks/${gone}`]: contacts(gone),
    '/name/www.kohvik.ee': ['name kohvik.ee'],
    '/registrar/alpha': ['registrar ALPHA', ...contacts(two)],
    '/disclosure/01': ['disclosure 1', ...contacts(one)],
    [`/request/${request}`]: [`request ${request}`, ...contacts(one)],
    '/disclosure/1': ['disclosure 1', ...contacts(one)],
  };
  for (const [path, looks] of Object.entries(expected)) {
    registry.edit('delete from desk_looks');
    const { status } = await pages.request(path);
    expect([path, status]).toEqual([path, expect.toBeOneOf(looks.length > 0 ? [200, 302] : [404])]);
    const rows = (await registry.rows()).desk_looks as Record<'subject' | 'key', string>[];
    expect([path, rows.map(({ subject, key }) => `${subject} ${key}`).sort()]).toEqual([
      path,
      looks.sort(),
    ]);
  }
});

test.each(['/find?q=tamm', '/contact/ALPHA:1'])(
  'the public service has no page %s of the desk, whatever a visitor claims',
  async (path) => {
    const headers = { 'Cf-Access-Authenticated-User-Email': 'mari@registry.example' };
    expect((await worker.fetch(path, { headers })).status).toBe(404);
  },
);

const day = 24 * 60 * 60 * 1000;

test.each([
  [undefined, 365],
  ['30', 30],
])('the cron removes looks after DESK_LOOKS_DAYS (%s: %i days)', async (setting, days) => {
  await worker.env.DB.prepare('delete from desk_looks').run();
  const ago = (age: number) => new Date(Date.now() - age * day).toISOString();
  await addLook(worker.env, { key: 'old', lookedAt: ago(days + 1) });
  await addLook(worker.env, { key: 'young', lookedAt: ago(days - 1) });
  const { DESK_LOOKS_DAYS: _, ...env } = worker.env;
  await runCron('31 * * * *', { ...env, ...(setting && { DESK_LOOKS_DAYS: setting }) }, {});
  const { results } = await worker.env.DB.prepare('select key from desk_looks').all();
  expect(results).toEqual([{ key: 'young' }]);
});
