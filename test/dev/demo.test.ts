import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  apiUsers,
  auctionStatuses,
  auctions,
  contacts,
  disputes,
  registrars,
  retainedDomains,
} from '../../drizzle/schema.ts';
import { identityProblem } from '../../src/contact/identity.ts';
import { contactRules } from '../../src/contact/rules.ts';
import { demoContacts as demoImport, loadDemoData } from '../../src/dev/demo/load.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { readImport } from '../../src/tool/files/import.ts';
import { Faults } from '../attack/faults.ts';
import { named } from '../name/retained/records.ts';
import { basic } from '../support/fixtures.ts';
import { shareEmptyWorker, startWorker } from '../support/worker.ts';

const { lines } = await readImport('src/dev/demo/contacts.csv', demoImport());
const demoContacts = lines.map(({ row }) => row!);

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

  it('the demo data has contacts as the interfaces would take them, of every identity type', () => {
    const required = ['code', 'name', 'email', 'phone', 'identType', 'identCountryCode'] as const;
    const optional = ['fax', 'street', 'city', 'zip', 'countryCode'] as const;
    for (const contact of demoContacts) {
      expect(identityProblem(contact, new Date('2026-01-01'))).toBeUndefined();
      for (const field of required) {
        expect(contactRules[field]().parse(contact[field])).toBe(contact[field]);
      }
      for (const field of optional) {
        expect(z.optional(contactRules[field]()).parse(contact[field])).toBe(contact[field]);
      }
    }
    const types = demoContacts.map(({ identType }) => identType);
    expect(new Set(types)).toEqual(new Set(['birthday', 'org', 'priv']));
  });

  it.each([
    ['TAMMEPUU', 'to which a domain refers', 2305],
    ['SEPP', 'whose status prohibits its deletion', 2304],
  ])('the demo data has a contact %s %s', async (id, _, code) => {
    const init = { method: 'DELETE', headers: alpha };
    const response = await worker.fetch(`/repp/v1/contacts/ALPHA:${id}`, init);
    expect(await response.json()).toMatchObject({ code });
  });

  it('the demo data has an auction of every status, and so many names of each list', async () => {
    const rows = await worker.db.select({ status: auctions.status }).from(auctions);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(auctionStatuses));
    expect(await get('/repp/v1/auctions')).toMatchObject({ count: 7 });
    const counts = { reserved: 24, blocked: 22, disputed: 16 };
    for (const [status, count] of Object.entries(counts)) {
      expect(await get(`/repp/v1/retained_domains?type=${status}`)).toMatchObject({ count });
    }
  });

  it('the demo data gives the list of disputed names the ETag that the README shows', async () => {
    const shown = readFileSync('README.md', 'utf8').match(/W\/"[0-9a-f]{32}"/g);
    const { headers } = await worker.fetch('/repp/v1/retained_domains?type=disputed');
    expect(new Set(shown)).toEqual(new Set([headers.get('ETag')]));
  });

  it('the blocks of commands in the README can be pasted whole, with the answers apart', () => {
    const blocks = readFileSync('README.md', 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
    const kinds = Map.groupBy(blocks, ([, kind]) => kind);
    expect([...kinds.keys()].sort()).toEqual(['http', 'json', 'sh']);
    for (const [, , text] of kinds.get('sh')!) expect(text).not.toMatch(/^(\$ |HTTP\/|\{)/m);
    for (const [, , answer] of kinds.get('json')!) expect(() => JSON.parse(answer!)).not.toThrow();
  });

  it('the demo data lets a reader try the README and then the reference: no contact is created twice', () => {
    const created = ['README.md', 'src/worker/http/openapi/examples.json'].flatMap((file) =>
      Array.from(
        readFileSync(file, 'utf8').matchAll(/"contact": \{\s*"id": "(\w+)"/g),
        ([, id]) => id!,
      ),
    );
    const codes = demoContacts.map(({ code }) => code.split(':')[1]!.toLowerCase());
    const ids = [...new Set(codes), ...created];
    expect(created.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
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

  it('loading demo data is finished by later starts, whatever the zones and at whichever calls of the database it was interrupted', async () => {
    const { db } = worker;
    const env = { ...worker.env, ZONES: 'lv' };
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

  it('loading demo data leaves a registry alone that somebody has changed', async () => {
    await addRetainedDomains(worker.operation, [named('own.ee')]);
    await worker.db.delete(apiUsers);
    expect(await loadDemoData(worker.env)).toBe(false);
  });
});
