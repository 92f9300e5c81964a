import { retainedStatuses } from '../../../../drizzle/schema.ts';
import { RegistryError } from '../../../error.ts';
import { listsShowing } from '../../../public-list/lists.ts';
import {
  addRetainedDomains,
  countRetainedDomains,
  removeRetainedDomains,
} from '../../../retained-domain/change-names.ts';
import { findRetainedDomains, type RetainedDomain } from '../../../retained-domain/list.ts';
import { noun, reading, writing } from '../../command.ts';
import { parseAnyNames, parseName, parseNames } from '../../names.ts';
import { confirmedRemoval, maxRemovalsOption } from '../../report/confirm.ts';
import { counted, fieldLines, listReport } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { everyName, retainedExportVerb, retainedImportVerb, statusOption } from './file.ts';

const add = verb(
  writing('add', 'retained add riigikogu.ee õ.ee --status reserved')
    .description('Reserve or block names and publish the lists')
    .argument('<name...>', 'the names')
    .addOption(statusOption('the status to give them').makeOptionMandatory()),
  async ({ db, env, origin, isDryRun, did }, texts, options) => {
    const { status } = options;
    const names = parseNames(texts, env).map((name) => ({ ...name, status }));
    const { added } = await addRetainedDomains(db, origin, names, { isDryRun });
    const unchanged = names.length - added;
    return {
      data: { status, added, unchanged, changed: added > 0 && !isDryRun },
      text: `${did('add')} ${counted(added, `${status} name`)}, ${unchanged} already there`,
      publish: listsShowing([status]),
    };
  },
);

const remove = verb(
  writing('remove', 'retained remove riigikogu.ee --status reserved')
    .description('Release reserved or blocked names and publish the lists')
    .argument('<name...>', 'the names')
    .addOption(statusOption('the status to take from them').makeOptionMandatory())
    .addOption(maxRemovalsOption()),
  async (registry, texts, options) => {
    const { db, origin, isDryRun, did } = registry;
    const { status } = options;
    const one = `${status} name`;
    const names = parseAnyNames(texts).map((name) => ({ ...name, status }));
    const all = { one, countAll: () => countRetainedDomains(db, [status]) };
    const { removed } = await confirmedRemoval(registry, options, all, (how) =>
      removeRetainedDomains(db, origin, names, how),
    );
    const unchanged = names.length - removed;
    return {
      data: { status, removed, unchanged, changed: removed > 0 && !isDryRun },
      text: `${did('remove')} ${counted(removed, one)}, ${unchanged} not there`,
      publish: listsShowing([status]),
    };
  },
);

const list = verb(
  reading('list', 'retained list --status blocked')
    .description('List reserved and blocked names')
    .addOption(statusOption('only names with this status')),
  async ({ db }, options) => {
    const names = await Array.fromAsync(everyName(db, options.status), shown);
    return listReport('retained_domains', names, 'there are no such names', {
      NAME: 'name',
      PUNYCODE: 'punycode_name',
      STATUS: 'status',
      UNTIL: 'last_day',
    });
  },
);

const show = verb(
  reading('show', 'retained show riigikogu.ee')
    .description('Show a reserved or blocked name, with its password')
    .argument('<name>', 'the name'),
  async ({ db }, text) => {
    const name = parseName(text);
    const asked = retainedStatuses.map((status) => ({ ...name, status }));
    const found = await findRetainedDomains(db, asked);
    if (found.length === 0) {
      const message = `${JSON.stringify(name.name)} is neither ${retainedStatuses.join(' nor ')}`;
      throw new RegistryError('not_found', message, 'name');
    }
    const names = found.map((one) => ({ ...shown(one), password: one.password }));
    return {
      data: { retained_domains: names },
      text: names.map((one) => fieldLines(one)).join('\n\n'),
    };
  },
);

const shown = ({ name, punycode, status, lastDay }: RetainedDomain) => ({
  name,
  punycode_name: punycode,
  status,
  last_day: lastDay,
});

export const retainedCommand = noun(
  'retained',
  'retained add riigikogu.ee õ.ee --status reserved',
  [add, remove, list, show, retainedImportVerb, retainedExportVerb],
).description('Reserved and blocked names');
