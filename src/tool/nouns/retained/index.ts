import { retainedStatuses } from '../../../../drizzle/schema.ts';
import { RegistryError } from '../../../base/error.ts';
import { listsShowing } from '../../../list/lists.ts';
import { removeRetainedDomains } from '../../../name/retained/change-names.ts';
import type { RetainedDomain, RetainedStatus } from '../../../name/retained/list.ts';
import {
  addRetainedDomains,
  countRetainedDomains,
} from '../../../name/retained/operator/change-names.ts';
import { findRetainedDomains } from '../../../name/retained/operator/list.ts';
import { checkLastDay } from '../../../name/retained/save.ts';
import { retainedView } from '../../../view/retained.ts';
import { countText } from '../../../view/text.ts';
import { noun, parseList, readCommand, writeCommand } from '../../command.ts';
import { parseName, parseNames, parseNewNames } from '../../names.ts';
import { confirmedRemoval, maxRemovalsOption } from '../../report/confirm.ts';
import { verb } from '../../run.ts';
import { listCommand, listVerb, type RowView, showReport } from '../../view.ts';
import {
  everyName,
  readReservation,
  retainedExportVerb,
  retainedImportVerb,
  statusOption,
  updatedText,
} from './file.ts';

const add = verb(
  writeCommand('add', 'retained add riigikogu.ee õ.ee --status reserved')
    .description('Reserve or block names and publish the lists')
    .argument('<name...>', 'the names', parseList)
    .addOption(statusOption('the status to give them').makeOptionMandatory())
    .option('--last-day <day>', 'the last day on which they are reserved, YYYY-MM-DD, in UTC')
    .option('--comment <text>', 'why, for staff alone; names that are there keep their own'),
  async (registry, texts, { status, lastDay, comment }) => {
    const { isDryRun, did, origin } = registry;
    const reservation = readReservation({ last_day: lastDay, comment }, status);
    checkLastDay(reservation, origin.request.at);
    const parsed = await parseNewNames(texts, registry.env, status);
    const names = parsed.map((name) => ({ ...name, ...reservation }));
    const { added, updated } = await addRetainedDomains(registry, names);
    const unchanged = names.length - added - updated;
    const count = countText(added, `${status} name`);
    return {
      data: { status, added, updated, unchanged, changed: added + updated > 0 },
      text: `${did('add')} ${count}${updatedText(updated, isDryRun)}, ${unchanged} already there`,
      publish: listsShowing([status]),
    };
  },
);

const remove = verb(
  writeCommand('remove', 'retained remove riigikogu.ee --status reserved')
    .description('Release reserved or blocked names and publish the lists')
    .argument('<name...>', 'the names', parseList)
    .addOption(statusOption('the status to take from them').makeOptionMandatory())
    .addOption(maxRemovalsOption()),
  async (registry, texts, options) => {
    const { db, did } = registry;
    const { status } = options;
    const one = `${status} name`;
    const names = (await parseNames(db, texts)).map((name) => ({ ...name, status }));
    const all = { one, countAll: () => countRetainedDomains(db, [status]) };
    const { removed } = await confirmedRemoval(registry, options, all, (operation) =>
      removeRetainedDomains(operation, names),
    );
    const unchanged = names.length - removed;
    return {
      data: { status, removed, unchanged, changed: removed > 0 },
      text: `${did('remove')} ${countText(removed, one)}, ${unchanged} not there`,
      publish: listsShowing([status]),
    };
  },
);

const retained: RowView<RetainedDomain, [{ status?: RetainedStatus }]> = {
  ...retainedView,
  read: ({ db }, { status }) => everyName(db, status),
};

const list = listVerb(
  retained,
  listCommand('List the names', 'retained list').addOption(
    statusOption('only names with this status'),
  ),
);

const show = verb(
  readCommand('show', 'retained show riigikogu.ee')
    .description('Show a reserved or blocked name, with its password')
    .argument('<name>', 'the name'),
  async ({ db }, text) => {
    const name = await parseName(db, text);
    const asked = retainedStatuses.map((status) => ({ ...name, status }));
    const found = await findRetainedDomains(db, asked);
    if (found.length === 0) {
      const message = `${JSON.stringify(name.name)} is neither ${retainedStatuses.join(' nor ')}`;
      throw new RegistryError('not_found', message, 'name');
    }
    return showReport('retained_domains', { ...retainedView.columns, password: 'password' }, found);
  },
);

const verbs = [add, remove, list, show, retainedImportVerb, retainedExportVerb];
export const retainedCommand = noun('retained', 'Reserved and blocked names', verbs);
