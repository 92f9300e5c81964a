import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHarness } from 'wrangler';
import type { Env } from '../../src/base/env.ts';
import { frontHeader } from '../../src/tool/local/http-bindings.ts';
import { applyMigrations } from '../../src/tool/migrate.ts';
import { addContact, addRegistrar } from '../support/fixtures.ts';
import { openLentDatabase } from '../support/lent-database.ts';

const { env: _, access: __, ...desk } = parse(readFileSync('src/desk/wrangler.toml', 'utf8'));
const local = { compatibility_date: desk.compatibility_date, d1_databases: desk.d1_databases };

/** A desk with an identity of its own, on the data that all of them share. */
function deskFor(name: string, dev: object | undefined, overrides: object = {}) {
  const main = path.resolve('src/desk/worker.ts');
  return { config: { ...desk, name, main, ...(dev && { access: { dev } }), ...overrides } };
}

const identity = (email: string) => ({ aud: 'local', identity: { email } });
const vars = (audience: string) => ({
  vars: { ...(desk.vars as object), DESK_ACCESS_AUD: audience },
});
const without = {
  d1_databases: [{ binding: 'DB', database_name: 'none', database_id: 'none' }],
};

const harness = createTestHarness({
  workers: [
    deskFor('mari', identity('mari@registry.example')),
    deskFor('juri', identity('juri@registry.example')),
    deskFor('stranger', undefined),
    deskFor('other', { ...identity('mari@registry.example'), aud: 'other' }),
    deskFor('empty', { ...identity('mari@registry.example'), aud: '' }, vars('')),
    deskFor('off', identity('mari@registry.example'), vars('')),
    deskFor('service', { aud: 'local', identity: { common_name: 'a.access' } }),
    deskFor('nobody', { aud: 'local', identity: { email: '' } }),
    deskFor('down', identity('mari@registry.example'), without),
    deskFor('local', identity('mari@registry.example'), {
      main: path.resolve('src/dev/start/desk-worker.ts'),
      vars: { ...(desk.vars as object), FRONT_TOKEN: 'front' },
    }),
    {
      config: {
        ...local,
        name: 'lender',
        main: 'test/support/lender.ts',
        vars: { TOOL_TOKEN: 'test' },
      },
    },
  ],
} as never);

let DB: D1Database;
let uuid: string;
let namesakes: string[];

beforeAll(async () => {
  await harness.listen();
  DB = await openLentDatabase(harness.getWorker('lender').fetch, 'test');
  await applyMigrations(DB);
  const env = { DB } as Env;
  const registrar = await addRegistrar(env, { code: 'ALPHA' });
  const contact = await addContact(env, registrar, { code: 'ALPHA:MARI', name: 'Mari Maasikas' });
  uuid = contact.uuid;
  const other = await addRegistrar(env, { code: 'BETA' });
  const people = ['1', '2'].map(() => addContact(env, other, { name: 'Peeter Paju' }));
  namesakes = (await Promise.all(people)).map((person) => person.uuid);
}, 120_000);
afterAll(() => harness.close());

const ask = (worker: string, path: string, init: object = {}) =>
  harness
    .getWorker(worker)
    .fetch(`https://desk.registry.example${path}`, { redirect: 'manual', ...init });

async function looks() {
  const sql = 'select looked_by, subject, key from desk_looks order by id';
  return (await DB.prepare(sql).all()).results;
}

const paths = ['/', '/find?q=mari', '/contact/ALPHA:MARI', '/site.css', '/copy.js', '/nowhere'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

test.each([
  ['without an identity', 'stranger'],
  ['of another application', 'other'],
  ['while the setting is empty', 'off'],
  ['while the setting and the audience are empty', 'empty'],
  ['of a service token, which has no e-mail address', 'service'],
  ['with an empty e-mail address', 'nobody'],
])('a request %s gets 404 without a word, whatever it claims', async (_, worker) => {
  const headers = { 'Cf-Access-Authenticated-User-Email': 'mari@registry.example' };
  for (const path of paths) {
    for (const method of methods) {
      const response = await ask(worker, path, { method, headers });
      const body = await response.text();
      expect([path, method, response.status, body]).toEqual([path, method, 404, '']);
    }
  }
  expect(await looks()).toEqual([]);
});

const about = (subject: string, key = '') => ({ subject, key });

test('each page is recorded before it is shown: who looked, and at what', async () => {
  const expected: [path: string, status: number, looks: object[]][] = [
    ['/', 200, [about('today')]],
    ['/find?q=mari', 302, [about('search')]],
    ['/find?q=maasikas%20ma', 302, [about('search')]],
    ['/find?q=paju', 200, [about('search'), ...namesakes.map((key) => about('contact', key))]],
    ['/contact/alpha:mari', 200, [about('contact', uuid)]],
    [`/contact/${uuid}`, 200, [about('contact', uuid)]],
    ['/name/free.ee', 200, [about('name', 'free.ee')]],
    ['/registrar/alpha', 200, [about('registrar', 'ALPHA')]],
    ['/contact/ALPHA:NOBODY', 404, []],
    ['/site.css', 200, []],
    ['/copy.js', 200, []],
    ['/nowhere', 404, []],
  ];
  for (const [path, status, all] of expected) {
    await DB.prepare('delete from desk_looks').run();
    const response = await ask('mari', path);
    expect([path, response.status]).toEqual([path, status]);
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'/);
    const looked_by = 'mari@registry.example';
    const recorded = await looks();
    expect(recorded).toHaveLength(all.length);
    expect(recorded).toEqual(expect.arrayContaining(all.map((one) => ({ looked_by, ...one }))));
  }
});

test('two people who look at once are both recorded, and each sees only who they are', async () => {
  await DB.prepare('delete from desk_looks').run();
  const people = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'mari' : 'juri'));
  const pages = await Promise.all(
    people.map(async (who) => [who, await (await ask(who, `/contact/${uuid}`)).text()] as const),
  );
  for (const [who, page] of pages) {
    expect(page).toContain('Mari Maasikas');
    const [, title] = /class="quiet">([^<]*)</.exec(page)!;
    expect(title).toBe(`local registry: ${who}@registry.example, whose looks are recorded`);
  }
  const by = Map.groupBy(await looks(), ({ looked_by }) => looked_by);
  expect([...by].map(([who, all]) => [who, all.length]).sort()).toEqual([
    ['juri@registry.example', 10],
    ['mari@registry.example', 10],
  ]);
});

test('nothing is shown when the look cannot be recorded', async () => {
  await DB.prepare('alter table desk_looks rename to hidden').run();
  try {
    for (const path of [
      '/',
      '/find?q=paju',
      '/find?q=maasikas',
      '/name/free.ee',
      '/registrar/ALPHA',
    ]) {
      const response = await ask('mari', path);
      expect([path, response.status]).toEqual([path, 500]);
      expect(response.headers.get('Location')).toBeNull();
      expect(await response.text()).not.toMatch(/Maasikas|Paju|Registrar \d/);
    }
  } finally {
    await DB.prepare('alter table hidden rename to desk_looks').run();
  }
});

test('without its database, the desk fails, and still knows strangers from staff', async () => {
  for (const path of ['/', '/find?q=mari', '/contact/ALPHA:MARI']) {
    const response = await ask('down', path);
    expect([path, response.status]).toEqual([path, 500]);
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  }
  expect((await ask('down', '/site.css')).status).toBe(200);
});

test('the desk of npm start answers nobody who lacks the token of its front', async () => {
  for (const headers of [{}, { [frontHeader]: 'guess' }, { [frontHeader]: '' }]) {
    for (const path of paths) {
      const response = await ask('local', path, { headers });
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.text()).toBe('only through the address of npm start');
    }
  }
});

test('staff can only read', async () => {
  for (const method of methods.slice(2)) {
    const response = await ask('mari', '/', { method });
    expect([method, response.status, response.headers.get('Allow')]).toEqual([
      method,
      405,
      'GET, HEAD',
    ]);
  }
  const head = await ask('mari', '/', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('the pages print no command, and say what staff can ask the operator for', async () => {
  const page = await (await ask('mari', `/contact/${uuid}`)).text();
  expect(page).toContain('<h2>You can ask the operator</h2>');
  expect(page).toContain('<li>to correct the contact</li>');
  for (const path of ['/', `/contact/${uuid}`, `/person/${uuid}`, '/registrar/ALPHA']) {
    expect(await (await ask('mari', path)).text()).not.toMatch(/npm run|<code>/);
  }
});
