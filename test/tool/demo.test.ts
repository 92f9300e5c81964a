import { readFileSync } from 'node:fs';
import { asc } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  apiUsers,
  auctions,
  contacts,
  disputes,
  history,
  registrars,
  retainedDomains,
} from '../../drizzle/schema.ts';
import { identityProblem } from '../../src/contact/identity.ts';
import { contactRules } from '../../src/contact/rules.ts';
import { demoContacts as demoImport, loadDemoData } from '../../src/tool/demo/load.ts';
import { readImport } from '../../src/tool/files/import.ts';
import { Faults } from '../attack/faults.ts';
import { basic } from '../support/fixtures.ts';
import { shareEmptyWorker, startWorker } from '../support/worker.ts';

const { rows } = await readImport('src/tool/demo/contacts.csv', {}, demoImport());
const demoContacts = [...rows.chunks(1_000)].flat().map(({ row }) => row);

const alpha = { Authorization: basic('alpha', 'alpha-demo-secret') };
const beta = { Authorization: basic('beta', 'beta-demo-secret') };

describe('the demo data', () => {
  const worker = startWorker();

  beforeAll(async () => {
    await loadDemoData(worker.env);
  });

  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await worker.fetch(path, { headers });
    return response.json() as Promise<Record<string, unknown>>;
  }

  it('the demo data lets both demo users in, each to the contacts of their registrar', async () => {
    expect(await get('/repp/v1/contacts?limit=2', alpha)).toEqual({
      contacts: ['ALPHA:TAMM', 'ALPHA:TAMM-WORK'],
      total_number_of_records: 14,
    });
    expect(await get('/repp/v1/contacts', beta)).toEqual({
      contacts: ['BETA:TAMM', 'BETA:LEPIK', 'BETA:HIIU', 'BETA:ANDERSEN'],
      total_number_of_records: 4,
    });
  });

  it('the demo data gives EE 38001085718 contacts at both registrars', async () => {
    const response = await worker.fetch('/api/v1/registrant/auth/eid', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ident: '38001085718', first_name: 'Jaan', last_name: 'Tamm' }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const list = await get('/api/v1/registrant/contacts', {
      Authorization: `Bearer ${access_token}`,
    });
    expect(list).toMatchObject({
      contacts: [
        { id: 'c0000000-0000-4000-8000-000000000001', code: 'ALPHA:TAMM' },
        { id: 'c0000000-0000-4000-8000-000000000002', code: 'ALPHA:TAMM-WORK' },
        { id: 'c0000000-0000-4000-8000-000000000101', code: 'BETA:TAMM' },
      ],
    });
  });

  it.each(demoContacts)(
    'the demo data has a contact $code as the interfaces would take it',
    (contact) => {
      expect(identityProblem(contact, new Date('2026-01-01'))).toBeUndefined();
      for (const field of [
        'code',
        'name',
        'email',
        'phone',
        'identType',
        'identCountryCode',
      ] as const) {
        expect(contactRules[field]().parse(contact[field])).toBe(contact[field]);
      }
      for (const field of ['fax', 'street', 'city', 'zip', 'countryCode'] as const) {
        expect(z.optional(contactRules[field]()).parse(contact[field])).toBe(contact[field]);
      }
    },
  );

  it('the demo data has contacts of every identity type at ALPHA', () => {
    const ofAlpha = demoContacts.filter(({ registrar }) => registrar === 'ALPHA');
    expect(new Set(ofAlpha.map(({ identType }) => identType))).toEqual(
      new Set(['birthday', 'org', 'priv']),
    );
  });

  it('the demo data links a contact to a domain, which prohibits its deletion', async () => {
    const response = await worker.fetch('/repp/v1/contacts/ALPHA:TAMMEPUU', {
      method: 'DELETE',
      headers: alpha,
    });
    expect(await response.json()).toMatchObject({ code: 2305 });
  });

  it('the demo data has a contact whose status prohibits its deletion', async () => {
    const response = await worker.fetch('/repp/v1/contacts/ALPHA:SEPP', {
      method: 'DELETE',
      headers: alpha,
    });
    expect(await response.json()).toMatchObject({ code: 2304 });
  });

  it('the demo data has seven auctions in progress, three of them of international names', async () => {
    expect(await get('/repp/v1/auctions')).toEqual({
      count: 7,
      auctions: [
        { domain_name: 'jalgratas24.ee', punycode_domain_name: 'jalgratas24.ee' },
        { domain_name: 'kohvikann.ee', punycode_domain_name: 'kohvikann.ee' },
        { domain_name: 'metsamoor.ee', punycode_domain_name: 'metsamoor.ee' },
        { domain_name: 'pürasid.ee', punycode_domain_name: 'xn--prasid-3ya.ee' },
        { domain_name: 'rannamaja.ee', punycode_domain_name: 'rannamaja.ee' },
        { domain_name: 'õunaaed.ee', punycode_domain_name: 'xn--unaaed-oxa.ee' },
        { domain_name: 'žürii.ee', punycode_domain_name: 'xn--rii-goa36d.ee' },
      ],
    });
  });

  it('the demo data shows every auction with the three fields of the contract and no other', async () => {
    const started = await get('/api/v1/auctions');
    const uuids = await worker.db.select({ uuid: auctions.uuid }).from(auctions);
    const each = await Promise.all(uuids.map(({ uuid }) => get(`/api/v1/auctions/${uuid}`)));
    expect(each).toHaveLength(13);
    for (const auction of [...Object.values(started), ...each]) {
      expect(Object.keys(auction as object)).toEqual(['id', 'domain', 'status']);
    }
  });

  it.each([
    ['11', 'awaiting_payment'],
    ['12', 'no_bids'],
    ['13', 'payment_received'],
    ['14', 'payment_not_received'],
    ['15', 'domain_registered'],
    ['16', 'domain_not_registered'],
  ])('the demo data has auction %s, which is %s', async (number, status) => {
    const auction = await get(`/api/v1/auctions/a0000000-0000-4000-8000-0000000000${number}`);
    expect(auction).toMatchObject({ status });
  });

  it.each([
    ['reserved', 24],
    ['blocked', 22],
    ['disputed', 16],
  ])('the demo data has retained names that are %s: %i', async (status, count) => {
    const list = await get(`/repp/v1/retained_domains?type=${status}`);
    expect(list).toMatchObject({ count });
  });

  it('the demo data gives the list of disputed names the ETag that the README shows', async () => {
    const shown = readFileSync('README.md', 'utf8').match(/W\/"[0-9a-f]{32}"/g);
    const { headers } = await worker.fetch('/repp/v1/retained_domains?type=disputed');
    expect(new Set(shown)).toEqual(new Set([headers.get('ETag')]));
  });

  it('the demo data has a name that is both disputed and reserved, and no dispute that is over or to come', async () => {
    const { domains } = (await get('/repp/v1/retained_domains')) as {
      domains: { name: string; status: string }[];
    };
    const statusesOf = (wanted: string) =>
      domains.filter(({ name }) => name === wanted).map(({ status }) => status);
    expect(statusesOf('kuressaare.ee')).toEqual(['disputed', 'reserved']);
    expect(statusesOf('lepatriinu.ee')).toEqual([]);
    expect(statusesOf('tulevik.ee')).toEqual([]);
  });

  it('the demo data is in the history, contact by contact, without secrets', async () => {
    const entries = await worker.db.select().from(history).orderBy(asc(history.id));
    const tamm = entries.find(({ subjectKey }) => subjectKey === 'ALPHA:TAMM');
    expect(tamm).toMatchObject({ action: 'create', actorType: 'operator', actor: 'Demo data' });
    expect(tamm?.changes.authInfo).toEqual({ redacted: true });
    expect(entries.filter(({ subject }) => subject === 'contact')).toHaveLength(18);
    expect(entries.find(({ subject }) => subject === 'api_user')?.changes.secretDigest).toEqual({
      redacted: true,
    });
  });

  it('the demo data is not loaded a second time', async () => {
    expect(await loadDemoData(worker.env)).toBe(false);
    expect(await worker.db.$count(contacts)).toBe(18);
  });
});

describe('loading demo data', () => {
  const worker = shareEmptyWorker();

  it('loading demo data is refused in a deployment', async () => {
    const deployed = { ...worker.env, ENVIRONMENT: 'production' };
    await expect(loadDemoData(deployed)).rejects.toThrow('only for the local environment');
    expect(await worker.db.$count(apiUsers)).toBe(0);
  });

  it('loading demo data leaves a registry alone that has no more than a reserved name', async () => {
    await worker.env.DB.prepare(
      "INSERT INTO retained_domains (name, punycode, status, created_at) VALUES ('own.ee', 'own.ee', 'reserved', '2026-01-02T03:04:05.678Z')",
    ).run();
    expect(await loadDemoData(worker.env)).toBe(false);
    expect(await worker.db.$count(registrars)).toBe(0);
  });

  it('loading demo data is finished by later starts, whatever the zones and at whichever calls of the database it was interrupted', async () => {
    const { db } = worker;
    const env = { ...worker.env, ZONES: 'lv' };
    await env.DB.prepare("DELETE FROM retained_domains WHERE name = 'own.ee'").run();
    let attempts = 0;
    for (let isLoaded = false; !isLoaded && attempts < 20; attempts++) {
      const faults = new Faults({ message: 'lost', isDone: false }, (call) => call > 6 * attempts);
      isLoaded = await loadDemoData(faults.wrap(env)).catch(() => false);
    }
    expect(attempts).toBeGreaterThan(3);
    for (const [table, count] of [
      [registrars, 2],
      [apiUsers, 2],
      [contacts, 18],
      [auctions, 13],
      [disputes, 18],
      [retainedDomains, 46],
    ] as const) {
      expect(await db.$count(table)).toBe(count);
    }
    expect(await loadDemoData(env)).toBe(false);
  });
});
