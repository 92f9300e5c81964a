import { untilClosed } from '../../../drizzle/schema.ts';
import { nameRulesOf } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { dayOf } from '../../base/time/day.ts';
import { instantRule } from '../../base/time/instant.ts';
import { listsShowing } from '../../list/lists.ts';
import { parseDomainName } from '../../name/domain/operator/name.ts';
import { findRuleProblems } from '../../name/domain/rules.ts';
import type { DomainName } from '../../name/name.ts';
import {
  checkDays,
  closeDispute,
  type NewDispute,
  openDispute,
  overlapProblem,
  overlaps,
} from '../../name/retained/operator/dispute.ts';
import {
  findDisputeProblems,
  importDisputes,
} from '../../name/retained/operator/import-disputes.ts';
import {
  disputesView,
  everyDispute,
  lastDayOf,
  readDisputes,
  type ShownDispute,
} from '../../view/dispute.ts';
import { countText } from '../../view/text.ts';
import { formerOption, noun, readCommand, reasonOption, writeCommand } from '../command.ts';
import {
  nameColumn,
  optionalPassword,
  optionalText,
  optionalValue,
  requiredText,
} from '../files/field.ts';
import type { Values } from '../files/format.ts';
import { type Import, runImport, writeInChunks } from '../files/import.ts';
import { importCommand } from '../files/importing.ts';
import { exportCommand, exportRows } from '../files/write.ts';
import { parseName, parseNewNames } from '../names.ts';
import { verb } from '../run.ts';
import { listCommand, listVerb, type RowView, showReport } from '../view.ts';

const publish = listsShowing(['disputed']);

const open = verb(
  writeCommand('open', 'dispute open piip.ee --first-day 2026-12-01 --last-day 2027-02-28')
    .description('Open a dispute of a name and publish the lists')
    .argument('<name>', 'the name')
    .requiredOption('--first-day <day>', 'its first day, YYYY-MM-DD, in UTC')
    .option('--last-day <day>', 'its last day; by default, it lasts until it is closed')
    .option('--initiator <text>', 'who disputes the name')
    .option('--comment <text>', 'any text')
    .addOption(formerOption('--from <day>', 'firstDay'))
    .addOption(formerOption('--until <day>', 'lastDay')),
  async (registry, text, { firstDay, lastDay, initiator, comment }) => {
    const [name] = (await parseNewNames([text], registry.env)) as [DomainName];
    const last: string = lastDay ?? untilClosed;
    const days = { firstDay, lastDay: last };
    await openDispute(registry, { ...name, ...days, initiator, comment });
    const isOver = last < dayOf(registry.origin.request.at);
    const did = registry.did(isOver ? 'record' : 'open');
    const over = isOver ? ', which is over: the name is not disputed by it' : '';
    return {
      data: { name: name.name, first_day: firstDay, last_day: lastDay ?? null },
      text: `${did} a dispute of ${name.name} from ${firstDay} until ${lastDay ?? 'closed'}${over}`,
      publish,
    };
  },
);

const close = verb(
  writeCommand('close', 'dispute close piip.ee --reason "the parties have settled"')
    .description('Close the dispute of a name as of today and publish the lists')
    .argument('<name>', 'the name')
    .addOption(reasonOption()),
  async (registry, text, { reason }) => {
    const { name } = await parseName(registry.db, text);
    await closeDispute(registry, { name, reason });
    return {
      data: { name, reason },
      text: `${registry.did('close')} the dispute of ${name}`,
      publish,
    };
  },
);

const disputes: RowView<ShownDispute, unknown[]> = {
  ...disputesView,
  read: (registry) => readDisputes(registry),
};

const list = listVerb(
  disputes,
  listCommand('List all disputes, past ones as well', 'dispute list'),
);

const show = verb(
  readCommand('show', 'dispute show piip.ee')
    .description('Show the disputes of a name, with their passwords')
    .argument('<name>', 'the name'),
  async (registry, text) => {
    const { name } = await parseName(registry.db, text);
    const found = await readDisputes(registry, name);
    if (found.length === 0) {
      throw new RegistryError('not_found', `${JSON.stringify(name)} was never disputed`, 'name');
    }
    return showReport('disputes', { ...disputesView.columns, password: 'password' }, found);
  },
);

const columns = {
  name: nameColumn,
  first_day: { note: 'YYYY-MM-DD, in UTC', isRequired: true, formerName: 'from' },
  last_day: {
    note: 'included; by default, it lasts until it is closed',
    formerName: 'until',
  },
  password: { note: 'with which the winner may register the name' },
  comment: { note: 'any text' },
  initiator: { note: 'who disputes the name' },
  closed_at: { note: 'the time at which it was closed, ISO 8601' },
};

/** Remembers all rows of its file, because no two disputes may overlap. */
export const disputeImport = (): Import<NewDispute, 'opened'> => ({
  columns,
  listed: Object.keys(disputesView.columns),
  read: rememberingReader(),
  key: ({ name, firstDay }) => `${name} from ${firstDay}`,
  findProblems: async ({ db, env }, rows) => [
    ...findRuleProblems(rows, nameRulesOf(env)),
    ...(await findDisputeProblems(db, rows)),
  ],
  write: (registry, disputes) =>
    writeInChunks(
      registry,
      { label: 'importing', rows: disputes },
      { opened: 0, unchanged: 0 },
      (chunk) => importDisputes(registry, chunk),
    ),
  text: ({ opened, unchanged }, { did }) =>
    `${did('open')} ${countText(opened, 'dispute')}, ${unchanged} already there`,
  publish,
});

function rememberingReader() {
  const ofName = new Map<string, NewDispute[]>();
  return (values: Values): NewDispute => {
    const dispute = {
      ...parseDomainName(requiredText(values, 'name')),
      firstDay: requiredText(values, 'first_day'),
      lastDay: optionalText(values, 'last_day') ?? untilClosed,
      password: optionalPassword(values),
      comment: optionalText(values, 'comment'),
      initiator: optionalText(values, 'initiator'),
      closedAt: optionalValue(values, 'closed_at', instant)?.toISOString(),
    };
    checkDays(dispute);
    const others = ofName.get(dispute.name) ?? [];
    // The same first day means a repeated row.
    const overlapping = others.find(
      (other) => other.firstDay !== dispute.firstDay && overlaps(other, dispute),
    );
    if (overlapping) throw new RegistryError([overlapProblem(overlapping)]);
    ofName.set(dispute.name, [...others, dispute]);
    return dispute;
  };
}

const instant = instantRule('is not an ISO 8601 timestamp such as 2026-01-31T12:00:00.000Z');

const importVerb = importCommand(columns, 'dispute import disputes.csv')
  .description('Open the disputes in a file and publish the lists')
  .action((file, options) => runImport(file, options, disputeImport()));

const exportVerb = verb(
  exportCommand('dispute export disputes.csv').description(
    'Write the disputes, past and closed ones included, to a file for dispute import',
  ),
  async ({ db }, file, options) => {
    return exportRows({ file, ...options }, columns, everyDispute(db), (dispute) => {
      const { name, firstDay, password, comment, initiator, closedAt } = dispute;
      const known = { password, comment, initiator, closed_at: closedAt };
      return { name, first_day: firstDay, last_day: lastDayOf(dispute), ...known };
    });
  },
);

const verbs = [open, close, list, show, importVerb, exportVerb];
export const disputeCommand = noun('dispute', 'Disputed names', verbs);
