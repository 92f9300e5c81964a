import { everyRow } from '../../base/database/every-row.ts';
import { RegistryError } from '../../base/error.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import type { Operation } from '../../change/origin.ts';
import {
  contactsOfBatch,
  type KeptContact,
  type MovedContacts,
  moveContacts,
} from '../../contact/operator/move.ts';
import { countReplaced, listDomainNames } from '../../name/domain/operator/list.ts';
import { transferDomains } from '../../name/domain/operator/transfer.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { countText } from '../../view/text.ts';
import { writeCommand } from '../command.ts';
import type { Registry } from '../registry.ts';
import { Batches } from '../report/batches.ts';
import { confirm } from '../report/confirm.ts';
import { say } from '../report/output.ts';
import { inChunks, startProgress } from '../report/progress.ts';
import { type Report, verb } from '../run.ts';

/** Each contact of a domain is copied in the same batch. */
const domainsOfBatch = 200;

interface Moved {
  domains: number;
  /** Contacts of domains that copies replace. */
  replaced: number;
  handedOver: number;
  deleted: number;
  kept: KeptContact[];
}

export const move = verb(
  writeCommand('move', 'registrar move ALPHA --to BETA --dry-run')
    .description('Give the domains and contacts of a registrar that ends to another one')
    .argument('<code>', 'the registrar that ends', asciiUpperCase)
    .requiredOption('--to <registrar>', 'the registrar that gets them', asciiUpperCase)
    .addHelpText(
      'after',
      `
Transfers each domain, with copies of its contacts, as domain transfer does. Then the other registrar gets the contacts
without a copy, as by contact transfer, and a contact that a copy has replaced is deleted; its open demand goes to the
copy. Contacts that a domain of another registrar uses stay, and are listed. If it is interrupted or killed, the same
command continues. history revert takes back domains alone: it refuses a run that has come to the contacts.`,
    ),
  async (registry, code, { to, yes, json }) => {
    const { db, isDryRun } = registry;
    const notes = await notesOn(registry, code, to);
    const words = ['registrar', 'move', code, '--to', to];
    if (isDryRun || !yes) {
      const would = await tryMove({ ...registry, isDryRun: true }, code, to);
      const text = [movedText(registry, would), ...keptLines(would), ...notes];
      if (isDryRun || isNothing(would)) return reportOf(registry, would, text);
      await confirm([
        movedText({ did: (verb) => `would ${verb}` }, would),
        `${countText(would.kept.length, 'contact')} would stay, see ${registry.commandLine([...words, '--dry-run'])}`,
        ...notes,
        `This moves ${code} to ${to}, and can't be taken back as a whole.`,
      ]);
    }
    const { requestId } = registry.origin.request;
    if (!json) say(`request ${requestId}; if it ends early, the same command continues`);
    const moved = await makeMove(registry, code, to);
    const left = (await namesOf(db, code)).length;
    const since = `${countText(left, 'domain has', 'domains have')} come to ${code} meanwhile: ${registry.commandLine(words)}`;
    const text = [
      movedText(registry, moved),
      ...keptLines(moved),
      ...(left > 0 ? [since] : []),
      ...notes,
    ];
    return reportOf(registry, moved, text);
  },
);

/** Throws `not_found`, and `invalid` for one and the same registrar. */
async function notesOn({ db }: Registry, code: string, to: string): Promise<string[]> {
  const from = await getRegistrar(db, code);
  const other = await getRegistrar(db, to, 'to');
  if (code === to) throw new RegistryError('invalid', `${code} is the registrar that ends`, 'to');
  const isOpen = `note: ${code} is not suspended, so it can still add domains and contacts`;
  return [
    ...(from.suspendedAt === null ? [isOpen] : []),
    ...(other.suspendedAt === null ? [] : [`note: ${to} is suspended`]),
  ];
}

const namesOf = async (db: Registry['db'], registrar: string): Promise<string[]> =>
  Array.fromAsync(
    everyRow<{ name: string }>((page) => listDomainNames(db, page, { registrar })),
    ({ name }) => name,
  );

async function tryMove(operation: Operation, code: string, to: string): Promise<Moved> {
  const { db } = operation;
  const [names, replaced] = [await namesOf(db, code), await countReplaced(db, code, to)];
  const pages = await Array.fromAsync(
    contactPages((after) => moveContacts(operation, code, to, after)),
  );
  return { domains: names.length, replaced, ...total(pages) };
}

async function makeMove(registry: Registry, code: string, to: string): Promise<Moved> {
  const batches = new Batches('change', false);
  registry.batches = batches;
  let domains = 0;
  const replaced = new Set<string>();
  for (const names of inChunks('domains', await namesOf(registry.db, code), domainsOfBatch)) {
    const transfer = () => transferDomains(registry, names, to);
    const done = await batches.write(names.length, transfer, ({ domains }) => domains);
    domains += done.domains;
    for (const contact of done.replaced) replaced.add(contact);
  }
  const { contactCount } = await getRegistrar(registry.db, code);
  using progress = startProgress('contacts', contactCount, contactCount > 1_000);
  const pages = contactPages(async (after) => {
    const take = () => moveContacts(registry, code, to, after);
    const changes = ({ handedOver, deleted }: MovedContacts) => handedOver + deleted;
    const page = await batches.write(Math.min(contactCount, contactsOfBatch), take, changes);
    progress.advance(changes(page) + page.kept.length);
    return page;
  });
  return { domains, replaced: replaced.size, ...total(await Array.fromAsync(pages)) };
}

async function* contactPages(read: (after: number) => Promise<MovedContacts>) {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: MovedContacts = await read(after);
    yield page;
    after = page.last;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

const total = (pages: readonly MovedContacts[]) => ({
  handedOver: sum(pages.map(({ handedOver }) => handedOver)),
  deleted: sum(pages.map(({ deleted }) => deleted)),
  kept: pages.flatMap(({ kept }) => kept),
});

const isNothing = ({ domains, handedOver, deleted }: Moved) => domains + handedOver + deleted === 0;

function movedText({ did }: Pick<Registry, 'did'>, moved: Moved): string {
  if (isNothing(moved)) return 'nothing to move';
  const { domains, replaced, handedOver, deleted } = moved;
  return (
    `${did('transfer', 'transferred')} ${countText(domains, 'domain')}, with copies of ${countText(replaced, 'contact')}; ` +
    `${did('hand over', 'handed over')} ${countText(handedOver, 'contact')}; ` +
    `${did('delete')} ${deleted} that copies have replaced`
  );
}

const keptLines = ({ kept }: Moved) =>
  kept.map(({ code, domain, registrar }) => `${code} stays: ${domain} of ${registrar} uses it`);

function reportOf({ isDryRun }: Registry, moved: Moved, text: string[]): Report {
  const { domains, replaced, handedOver: handed_over, deleted, kept } = moved;
  const data = { domains, replaced, handed_over, deleted, stay: kept };
  return { data: { ...data, changed: !isDryRun && !isNothing(moved) }, text };
}
