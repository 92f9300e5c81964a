import { type SystemRight, systemRights } from '../../../drizzle/schema.ts';
import {
  addSystem,
  listSystems,
  removeSystem,
  updateSystem,
} from '../../party/system/operator/system.ts';
import { reportOfChange, valuesBefore } from '../../view/changes.ts';
import { type ListedSystem, systemsView, untilADayAfterUse } from '../../view/holders.ts';
import { noun, requireOneOf, splitList, writeCommand } from '../command.ts';
import { confirmedChange } from '../report/confirm.ts';
import { verb } from '../run.ts';
import { listCommand, listVerb, type RowView } from '../view.ts';
import { rotate, secretText, switching } from './holder.ts';

const rightsHelp = `what it may do: ${systemRights.join(', ')}; act-for=ALPHA is for one registrar`;
const addressesHelp = 'addresses and ranges it may call from';

const add = verb(
  writeCommand('add', 'system add epp --may domains,changes,act-for=ALPHA --allow-ip 192.0.2.7')
    .description("Add one of the registry's own systems and print the generated key, once")
    .argument('<name>', 'its name: a-z, 0-9 and ._-')
    .option('--may <rights...>', rightsHelp, splitList)
    .option('--allow-ip <cidr...>', `${addressesHelp}; by default, none`, splitList),
  async (registry, name, { may = [], allowIp = [] }) => {
    const settings = { rights: may as SystemRight[], allowedIps: allowIp };
    const key = await addSystem(registry, { name, ...settings });
    const from = allowIp.join(', ') || 'nowhere';
    const rights = may.join(', ') || 'none';
    const system = `system ${name}, rights: ${rights}, callable from ${from}`;
    const done = `${registry.did('add')} ${system}`;
    return { data: { system: { name, key } }, text: secretText(done, 'its key', key), secret: key };
  },
);

const systems: RowView<ListedSystem, unknown[]> = {
  ...systemsView,
  read: ({ db }) => listSystems(db),
};

const list = listVerb(
  systems,
  listCommand('List the systems and the age of their keys', 'system list'),
);

const update = verb(
  writeCommand('update', 'system update epp --may domains,auctions --allow-ip 192.0.2.0/24')
    .description('Change what a system may do and where it may call from, from its next request on')
    .argument('<name>', 'the system')
    .option('--may <rights...>', `replaces the old list; ${rightsHelp}`, splitList)
    .option('--allow-ip <cidr...>', `replaces the old list: ${addressesHelp}`, splitList)
    .hook('preAction', requireOneOf('--may', '--allow-ip')),
  async (registry, name, { may, allowIp }) => {
    const settings = { rights: may as SystemRight[] | undefined, allowedIps: allowIp };
    const changes = await updateSystem(registry, name, settings);
    const report = reportOfChange(registry, `system ${name}`, changes, { system: { name } });
    const { rights, allowedIps } = valuesBefore(changes);
    const words = Object.entries({ '--may': rights, '--allow-ip': allowedIps }).flatMap(
      ([option, list]) => (list ? [option, String(list)] : []),
    );
    return { ...report, undo: ['system', 'update', name, ...words] };
  },
);

const rotation = verb(
  writeCommand('rotate', 'system rotate epp', 'system rotate epp --at-once')
    .description('Replace the key of a system and print the new one, once')
    .argument('<name>', `the system, whose old key works until ${untilADayAfterUse}`)
    .option('--at-once', 'refuse the old key from the next request on, because it has leaked'),
  (registry, key, { atOnce = false }) => rotate(registry, { type: 'system', key }, { atOnce }),
);

const remove = verb(
  writeCommand('remove', 'system remove epp')
    .description('Remove a system with its key; its name stays in the history')
    .argument('<name>', 'the system'),
  async (registry, name, options) => {
    await confirmedChange(
      registry,
      options,
      (operation) => removeSystem(operation, name),
      () => `This removes system ${name}, whose key then works no more.`,
    );
    return { data: { system: { name } }, text: `${registry.did('remove')} system ${name}` };
  },
);

const verbs = [add, list, update, rotation, ...switching('system', 'epp'), remove];
export const systemCommand = noun('system', "The registry's own systems and their rights", verbs);
