import type { TestRegistry } from './tool.ts';

/** Adds a registrar with 499 contacts, a domain and a reserved name to an empty registry. */
export async function fill(registry: TestRegistry): Promise<void> {
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  const rows = Array.from(
    { length: 500 },
    (_, n) => `ALPHA:${n},Mari ${n},mari@example.ee,+372.5123456,38001085718,priv,EE\n`,
  );
  await registry.importContacts(rows.join(''));
  await registry.done('contact delete ALPHA:499 --yes');
  const domains = 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n';
  await registry.done('domain import -', domains);
  await registry.done('retained add õ.ee --status reserved');
}

/** The tables of the registry itself; publishing keeps notes of its own. */
export async function rowsOf(registry: TestRegistry) {
  const { registrars, contacts, domains, domain_contacts, retained_domains, history } =
    await registry.rows();
  return { registrars, contacts, domains, domain_contacts, retained_domains, history };
}
