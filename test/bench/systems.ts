import type { Env } from '../../src/base/env.ts';
import { counted } from '../support/counted.ts';
import { addSystem, send } from '../support/fixtures.ts';
import { type SeededRegistrar, seedRegistrar } from '../support/seed.ts';
import { atMost, type Figure, stated } from './figure.ts';
import { builtWorker, service, startRuntime } from './runtime.ts';
import { admitting } from './strangers.ts';

const count = Number(process.env.N ?? 100_000);
/** The most that one call may take of the database, which serves one statement at a time. */
const [rowsAllowed, statementsAllowed] = [5_000_000, 200];

type Called = [what: string, method: string, path: string, body?: object];

/** The dearest call of each path of the internal interface, beside which a registrar asks for a page. */
export async function systems(): Promise<Figure[]> {
  const runtime = await startRuntime([], [service], { environment: 'production' });
  try {
    const { env } = runtime;
    const registrar = await seedRegistrar(env, count);
    const other = await seedRegistrar(env, 1);
    await seedDomains(env, registrar);
    const system = await addSystem(env, ['domains', 'changes', 'auctions', 'retained']);
    const page = { headers: { Authorization: registrar.authorization } };
    const built = await builtWorker();
    const figures: Figure[] = [];
    for (const [what, method, path, body] of dearest(registrar, other)) {
      let requests = 0;
      const SYSTEM_LIMITER = admitting((delta) => {
        requests += delta;
      });
      const measured = counted({ ...env, SYSTEM_LIMITER }, built);
      const ask = (url: string, init: RequestInit, bindings: Env) => {
        const request = new Request(`https://registry.example${url}`, init);
        request.headers.set('CF-Connecting-IP', '127.0.0.1');
        return built.fetch(request as never, bindings, { waitUntil() {} } as never);
      };
      const startedAt = performance.now();
      const asked = ask(`/api/v1/internal${path}`, send(method, system, body), measured.env);
      const paged = (await ask('/repp/v1/contacts', page, env)).status;
      const took = performance.now() - startedAt;
      const answer = await asked;
      const text = await answer.text();
      if (!answer.ok || paged !== 200) throw new Error(`${what}: ${text}, ${paged}`);
      figures.push(
        atMost(`${what}: D1 rows`, measured.counts.rowsRead, '', rowsAllowed),
        atMost(`${what}: statements`, measured.sent.statements, '', statementsAllowed),
        stated(`${what}: counts as`, requests, ''),
        stated(`${what}: a registrar’s page beside it`, took, 'ms'),
      );
    }
    return figures;
  } finally {
    await runtime.stop();
  }
}

/** As many domains as contacts, each with one of them, and an entry of history about each. */
async function seedDomains({ DB }: Env, { id, code }: SeededRegistrar): Promise<void> {
  const at = '2026-01-02T03:04:05.678Z';
  await DB.batch([
    DB.prepare(
      `insert into domains (name, punycode, registrar_id, created_at)
       select 'nimi' || number || '.ee', 'nimi' || number || '.ee', ?1, ?2
       from contacts where registrar_id = ?1`,
    ).bind(id, at),
    DB.prepare(
      `insert into domain_contacts (domain_id, contact_id, role)
       select domains.id, contacts.id, 'registrant' from contacts
       join domains on domains.name = 'nimi' || number || '.ee' where contacts.registrar_id = ?`,
    ).bind(id),
    DB.prepare(
      `insert into history (occurred_at, subject, subject_key, registrar, action, actor_type, actor, changes)
       select ?2, 'domain', name, ?1, 'create', 'operator', 'Operator', '{}' from domains`,
    ).bind(code, at),
  ]);
}

function dearest({ code }: SeededRegistrar, other: SeededRegistrar): Called[] {
  const contact = (n: number) => `${code}:${n.toString(16).toUpperCase().padStart(8, '0')}`;
  const contacts = (first: number, length: number) =>
    Array.from({ length }, (_, n) => contact(first + n));
  const domain = (first: number, length: number) => ({
    registrar: code,
    registrant: contact(1),
    admin_contacts: contacts(first, length),
    tech_contacts: contacts(first + length, length),
  });
  const batch = (first: number) => ({
    domains: Array.from({ length: 110 }, (_, n) => ({
      ...{ name: `nimi${n + 1}.ee`, ...domain(first, 45) },
    })),
  });
  const name = '/domains/nimi1000.ee';
  return [
    ['A name', 'GET', '/names/nimi7.ee'],
    ['A contact', 'GET', `/contacts/${contact(7)}`],
    ['A page of changes', 'GET', '/changes?after=0-'],
    ['A registration', 'POST', '/names/uus.ee/registration', { domain: domain(1, 100) }],
    ['Its taking back', 'DELETE', '/names/uus.ee/registration'],
    ['A domain', 'PUT', name, { domain: domain(1, 100) }],
    ['Its other contacts', 'PUT', name, { domain: domain(10_000, 100) }],
    ['Its reading', 'GET', name],
    ['Its transfer', 'POST', `${name}/transfer`, { registrar: other.code }],
    ['Its release', 'DELETE', `${name}?release=true`],
    ['A batch', 'POST', '/domains/batch', batch(1)],
    ['A batch of other contacts', 'POST', '/domains/batch', batch(200)],
    ['An auction', 'POST', '/auctions', { auction: { domain: 'oksjon.ee' } }],
    ['A reservation', 'PUT', '/retained_domains/hoitud.ee/reserved'],
  ];
}
