import { Option } from '@commander-js/extra-typings';
import { type AuctionStatus, auctionStatuses } from '../../../drizzle/schema.ts';
import { everyRow } from '../../base/database/every-row.ts';
import { retry } from '../../base/database/retry.ts';
import { nameRulesOf } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { auctionLists } from '../../list/lists.ts';
import { cancelAuction } from '../../name/auction/cancel.ts';
import { correctAuction, registerAuction } from '../../name/auction/operator/correct.ts';
import { listAuctions } from '../../name/auction/operator/list.ts';
import { findAuctionObstacles } from '../../name/auction/operator/obstacles.ts';
import { startAuctions } from '../../name/auction/operator/start.ts';
import { type Auction, getAuctionOf, registrationCodeOf } from '../../name/auction/read.ts';
import { parseDomainName } from '../../name/domain/operator/name.ts';
import { findRuleProblems } from '../../name/domain/rules.ts';
import type { DomainName } from '../../name/name.ts';
import { auctionsView } from '../../view/auction.ts';
import { dataOf } from '../../view/columns.ts';
import { countText } from '../../view/text.ts';
import { noun, parseList, readCommand, reasonOption, writeCommand } from '../command.ts';
import { nameColumn, requiredText } from '../files/field.ts';
import { type Import, runImport, writeInChunks } from '../files/import.ts';
import { importCommand } from '../files/importing.ts';
import { parseNameOrUuid, parseNewNames } from '../names.ts';
import { readSecret } from '../report/ask.ts';
import { confirmedChange } from '../report/confirm.ts';
import { verb } from '../run.ts';
import { listCommand, listVerb, type RowView, showReport } from '../view.ts';

const evenIfRetained = () => new Option('--even-if-retained', 'also reserved and disputed names');

const ignoredBy = ({ evenIfRetained }: { evenIfRetained?: true | undefined }) =>
  evenIfRetained ? (['reserved', 'disputed'] as const) : [];

const auctions: RowView<Auction, [{ status?: Auction['status'] }]> = {
  ...auctionsView,
  read: ({ db }, { status }) => everyRow<Auction>((page) => listAuctions(db, { status, page })),
};

const start = verb(
  writeCommand('start', 'auction start kohv.ee õun.ee')
    .description('Put names up for auction, all or none, and publish the list')
    .argument('<name...>', 'the names', parseList)
    .option('--platform <text>', 'the kind of auction')
    .addOption(evenIfRetained()),
  async (registry, texts, options) => {
    const names = await parseNewNames(texts, registry.env);
    const { platform } = options;
    const ignored = ignoredBy(options);
    const started = await startAuctions(registry, names, { platform, ignored });
    const data = { started, names: names.map(({ name }) => name), platform: platform ?? null };
    return {
      data: { ...data, changed: started > 0 },
      text: `${registry.did('start')} ${countText(started, 'auction')}`,
      publish: auctionLists,
    };
  },
);

const list = listVerb(
  auctions,
  listCommand('List the auctions', 'auction list --status started').addOption(
    new Option('--status <status>', 'only those with this status').choices(auctionStatuses),
  ),
);

const newestOf = 'its UUID, or the name, for its newest auction';

const show = verb(
  readCommand('show', 'auction show kohv.ee')
    .description('Show an auction, with its registration code while it is paid')
    .argument('<auction>', newestOf),
  async ({ db }, text) => {
    const key = await parseNameOrUuid(db, text);
    const auction = await retry(() => getAuctionOf(db, key));
    const columns = { ...auctionsView.columns, registration_code: registrationCodeOf };
    return showReport(undefined, columns, auction);
  },
);

const auctionImport = (
  options: Parameters<typeof ignoredBy>[0],
): Import<DomainName, 'started'> => ({
  columns: { name: nameColumn },
  read: (values) => parseDomainName(requiredText(values, 'name')),
  key: ({ name }) => name,
  findProblems: async (registry, names) => [
    ...findRuleProblems(names, nameRulesOf(registry.env)),
    ...(await findAuctionObstacles(registry, names, ['in_auction', ...ignoredBy(options)])),
  ],
  write: (registry, names) =>
    writeInChunks(
      registry,
      { label: 'starting', rows: names },
      { started: 0, unchanged: 0 },
      async (chunk) => {
        const ignored = ['in_auction', ...ignoredBy(options)] as const;
        const started = await startAuctions(registry, chunk, { ignored });
        return { started, unchanged: chunk.length - started };
      },
    ),
  text: ({ started, unchanged }, { did }) =>
    `${did('start')} ${countText(started, 'auction')}, ${unchanged} already in progress`,
  publish: auctionLists,
});

const importVerb = importCommand({ name: nameColumn }, 'auction import names.csv')
  .description('Put the names in a file up for auction and publish the list')
  .addOption(evenIfRetained())
  .action((file, options) => runImport(file, options, auctionImport(options)));

const cancel = verb(
  writeCommand('cancel', 'auction cancel kohv.ee --reason "put up by mistake"')
    .description('Cancel an auction in progress and publish the list')
    .argument('<auction>', 'its UUID or its name')
    .addOption(reasonOption()),
  async (registry, text, options) => {
    const { did } = registry;
    const { reason } = options;
    const named = { auction: await parseNameOrUuid(registry.db, text), reason };
    const auction = await confirmedChange(
      registry,
      options,
      (operation) => cancelAuction(operation, named),
      ({ name, createdAt }) => `This cancels the auction of ${name}, started on ${createdAt}.`,
    );
    return {
      data: { ...dataOf(auctionsView.columns, auction), reason },
      text: `${did('cancel', 'cancelled')} the auction of ${auction.name}`,
      publish: auctionLists,
    };
  },
);

const codeText = (status: AuctionStatus) =>
  status === 'payment_received' ? ', with a new registration code' : '';

const correct = verb(
  writeCommand('correct', 'auction correct kohv.ee --status awaiting_payment --reason "wrong name"')
    .description('Correct the status of an auction after a wrong report and publish the list')
    .argument('<auction>', newestOf)
    .addOption(new Option('--status <status>').choices(auctionStatuses).makeOptionMandatory())
    .addOption(reasonOption()),
  async (registry, text, options) => {
    const { did } = registry;
    const { status, reason } = options;
    const correction = { auction: await parseNameOrUuid(registry.db, text), status, reason };
    const { before, after } = await confirmedChange(
      registry,
      options,
      (operation) => correctAuction(operation, correction),
      ({ before }) =>
        before.status === status
          ? undefined
          : `This changes the auction of ${before.name} from ${before.status} to ${status}${codeText(status)}.`,
    );
    const changed = before.status !== status;
    return {
      data: { ...dataOf(auctionsView.columns, after), reason, changed },
      text: changed
        ? `${did('correct')} the auction of ${after.name} from ${before.status} to ${status}${codeText(status)}`
        : `nothing to change: the auction of ${after.name} is already ${status}`,
      publish: auctionLists,
      undo: ['auction', 'correct', after.uuid, '--status', before.status, '--reason', 'taken back'],
    };
  },
);

const register = verb(
  writeCommand(
    'register',
    'auction register kohv.ee',
    'auction register kohv.ee --code-stdin < code.txt',
  )
    .description('End a paid auction: the holder of its registration code has registered the name')
    .argument('<auction>', newestOf)
    .option(
      '--code-stdin',
      'read the registration code from standard input; otherwise a terminal asks',
    )
    .option('--code <code>', 'the code itself, which other users of this machine can see'),
  async (registry, text, { codeStdin, code: argument }) => {
    const question = 'Registration code that the buyer presented: ';
    const code = argument ?? (await readSecret(codeStdin, question));
    if (code === '') throw new RegistryError('missing', 'no registration code was given', 'code');
    const named = await parseNameOrUuid(registry.db, text);
    const auction = await registerAuction(registry, named, code);
    return {
      data: dataOf(auctionsView.columns, auction),
      text: `${registry.did('end')} the auction of ${auction.name} as domain_registered`,
    };
  },
);

const verbs = [start, list, show, importVerb, cancel, correct, register];
export const auctionCommand = noun('auction', 'Names put up for auction', verbs);
