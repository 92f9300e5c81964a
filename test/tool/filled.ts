import type { TestRegistry } from './tool.ts';

/** Adds a registrar with 499 contacts, a domain, a reserved name and a disclosure to an empty registry. */
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
  const request = '--requester Mari --identified-by card --organization Police --basis law';
  await registry.done(`disclosure open --contact ALPHA:1 ${request} --fields name`);
}

/** The tables of the registry itself; publishing keeps notes of its own. */
export async function rowsOf(registry: TestRegistry) {
  const { registrars, contacts, disclosures, domains, domain_contacts, ...rows } =
    await registry.rows();
  const { retained_domains, history } = rows;
  return { registrars, contacts, disclosures, domains, domain_contacts, retained_domains, history };
}
