import { expect, test } from 'vitest';
import { entriesOf, killOnceWritten, moments } from '../killed.ts';
import { startTool } from '../tool.ts';
import { type Files, movedRows, row, uuidOf, writeFiles } from './files.ts';

const tool = startTool();
const count = 2_400;
const codes = ['ALPHA', 'BETA', 'GAMMA'];

const numbers = Array.from({ length: count }, (_, n) => n + 1);
const registrarOf = (n: number) => codes[n % codes.length]!;
const contactOf = (n: number) => `${registrarOf(n)}:${n}`;

const first: Files = {
  registrars: codes.map((code, n) => row.registrar(n + 1, code)),
  'api-users': codes.map((code) => row.user(code.toLowerCase(), code)),
  contacts: numbers.map((n) => row.contact(n, registrarOf(n))),
  domains: numbers.map((n) => row.domain(`nimi${n}.ee`, registrarOf(n))),
  'domain-contacts': numbers.flatMap((n) => [
    row.link(`nimi${n}.ee`, contactOf(n), 'registrant'),
    row.link(`nimi${n}.ee`, contactOf((n * 7) % count || count), 'tech'),
  ]),
  reserved: numbers.map((n) => row.reserved(`kinni${n}.ee`)),
  auctions: numbers.map((n) => row.auction(n, `oksjon${n}.ee`, 'started')),
};

/** Some of every kind are new, gone and changed, and some contacts have another UUID. */
const second: Files = {
  ...first,
  contacts: [
    ...numbers.map((n) => {
      const uuid = uuidOf(n % 5 === 0 ? n + count : n);
      return row.contact(n, registrarOf(n), { uuid, city: n % 2 === 0 ? 'Tartu' : 'Tallinn' });
    }),
    row.contact(2 * count + 1, 'ALPHA'),
  ],
  'domain-contacts': first['domain-contacts']!.filter((_, n) => n % 4 !== 1),
  reserved: numbers.map((n) => row.reserved(`kinni${n + count / 3}.ee`)),
  auctions: numbers.map((n) =>
    row.auction(n, `oksjon${n}.ee`, n % 3 === 0 ? 'no_bids' : 'started'),
  ),
};

test('ends the same, with each change once in the history, wherever it is killed', async () => {
  const [undisturbed, registry] = [await tool.newRegistry(), await tool.newRegistry()];
  const directory = await tool.newDirectory();
  const args = ['move-in', directory, '--yes'];
  for (const files of [first, second]) {
    writeFiles(directory, files);
    const before = entriesOf(undisturbed);
    expect(await undisturbed.spawn(args)).toMatchObject({ status: 0 });
    for (const part of moments(3, [before + 1, entriesOf(undisturbed)])) {
      expect(await killOnceWritten(registry, args, part)).toBe(true);
    }
    await registry.done(args);
    expect(await registry.done(['reconcile', directory])).toMatchObject({ equal: true });
    expect(await movedRows(registry)).toEqual(await movedRows(undisturbed));
  }
}, 600_000);
