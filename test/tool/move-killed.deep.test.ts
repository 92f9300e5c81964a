import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endOf, family } from '../support/processes.ts';
import { databaseFile } from './empty-again.ts';
import { contactHeader, killGroup, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

const domainCount = 300;
/** When the command is killed: so many domains have been moved, or contacts deleted. */
const killedAt = [
  { domains: domainCount * 0.2, deleted: 0 },
  { domains: domainCount * 0.7, deleted: 0 },
  { domains: domainCount, deleted: domainCount * 0.3 },
];

const contactCount = Math.round(domainCount * 1.6);
/** Contacts with a larger number have no domain of ALPHA. */
const linkedCount = Math.round(domainCount * 1.4);

const range = (length: number) => Array.from({ length }, (_, n) => n);
const person = (code: string, ident: string) =>
  `${code},Isik ${ident},isik@example.ee,+372.5123456,P${ident},priv,LV\n`;
/** Names are in the order of numbers, as the command takes them. */
const numbered = (n: number) => String(n).padStart(6, '0');

/** Domains share contacts; sixty domains of GAMMA use some of ALPHA's, and some of ALPHA's use those of GAMMA. */
async function newRegistry(): Promise<TestRegistry> {
  const registry = await tool.newRegistry('ALPHA', 'BETA', 'GAMMA');
  const own = range(contactCount).map((n) => person(`ALPHA:${n}`, `${n}`));
  const importing = ['contact', 'import', '-', '--registrar'];
  await registry.done([...importing, 'ALPHA'], contactHeader + own.join(''));
  const others = range(60).map((n) => person(`GAMMA:${n}`, `G${n}`));
  await registry.done([...importing, 'GAMMA'], contactHeader + others.join(''));
  const linked = (n: number) => `ALPHA:${n % linkedCount}`;
  const domains = range(domainCount).map((n) => {
    const tech = n % 20 === 0 ? `${linked(n * 3 + 5)} GAMMA:${n % 60}` : linked(n * 3 + 5);
    return `nimi${numbered(n)}.ee,ALPHA,${linked(n)},${linked(n * 7 + 13)},${tech}\n`;
  });
  // Half of these contacts have domains of ALPHA, too.
  const foreign = range(60).map((n) => {
    const used = n % 2 === 0 ? n : linkedCount + n;
    return `kolmas${n}.ee,GAMMA,GAMMA:${n},,ALPHA:${used}\n`;
  });
  const header = 'name,registrar,registrant,admin,tech\n';
  await registry.done('domain import -', header + domains.join('') + foreign.join(''));
  for (const n of [0, 40, 80]) {
    await registry.done(
      `dispute open nimi${numbered(n)}.ee --first-day 2020-01-01 --last-day 2099-12-31`,
    );
  }
  await registry.done('contact demand ALPHA:5 --claims identity --by 2099-01-31');
  await registry.done(['registrar', 'suspend', 'ALPHA', '--reason', 'contract ended']);
  return registry;
}

function ask<Row>(registry: TestRegistry, query: string): Row[] {
  using database = new DatabaseSync(databaseFile(registry.directory), {
    readOnly: true,
    timeout: 30_000,
  });
  return database.prepare(query).all() as Row[];
}

const countsOf = (registry: TestRegistry) =>
  ask<{ domains: number; deleted: number }>(
    registry,
    `select (select count(*) from domains join registrars on registrars.id = registrar_id where code = 'BETA') as domains,
      (select count(*) from history where subject = 'contact' and action = 'delete') as deleted`,
  )[0]!;

/** By identity code, how many contacts of a registrar a person has. */
function contactsOf(registry: TestRegistry, registrar: string): Map<string, number> {
  const rows = ask<{ ident: string; count: number }>(
    registry,
    `select ident, count(*) as count from contacts join registrars on registrars.id = registrar_id
      where registrars.code = '${registrar}' group by ident`,
  );
  return new Map(rows.map(({ ident, count }) => [ident, count]));
}

test('a move that is killed and repeated leaves each person one contact for each before', async () => {
  const registry = await newRegistry();
  const before = contactsOf(registry, 'ALPHA');
  const holders = new Map(
    ask<{ name: string; ident: string }>(registry, heldBy).map(({ name, ident }) => [name, ident]),
  );
  const move = ['registrar', 'move', 'ALPHA', '--to', 'BETA'];
  for (const { domains, deleted } of killedAt) {
    const child = registry.start([...move, '--yes'], true);
    while (child.exitCode === null) {
      const now = countsOf(registry);
      if (now.domains >= domains && now.deleted >= deleted) break;
      await setTimeout(1);
    }
    const all = family(child.pid!);
    killGroup(child);
    await endOf(all);
  }
  const done = await registry.spawn([...move, '--yes', '--json']);
  expect(done.status).toBe(0);
  const { stay } = JSON.parse(done.stdout);

  const kept = new Map(stay.map(({ code }: { code: string }) => [code.replace('ALPHA:', 'P'), 1]));
  expect(contactsOf(registry, 'ALPHA')).toEqual(kept);
  expect(kept.size).toBe(60);
  const atBeta = contactsOf(registry, 'BETA');
  for (const ident of kept.keys() as Iterable<string>) {
    // Without a domain of ALPHA, it was neither copied nor handed over.
    if (Number(ident.slice(1)) >= linkedCount) before.delete(ident);
  }
  for (const [ident, count] of before) expect([ident, atBeta.get(ident)]).toEqual([ident, count]);
  expect(countsOf(registry).domains).toBe(domainCount);
  for (const { name, ident } of ask<{ name: string; ident: string }>(registry, heldBy)) {
    expect([name, ident]).toEqual([name, holders.get(name)]);
  }
  const demanded = ask(
    registry,
    "select ident from contacts where verification_demand is not null and code like 'BETA:%'",
  );
  expect(demanded).toEqual([{ ident: 'P5' }]);
});

const heldBy = `select domains.name, ident from domains
  join domain_contacts on domain_id = domains.id and role = 'registrant'
  join contacts on contacts.id = contact_id`;
