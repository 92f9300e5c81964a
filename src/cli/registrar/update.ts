import { Option } from '@commander-js/extra-typings';
import { shownChanges } from '../../history.ts';
import { updateRegistrar } from '../../registrar/account.ts';
import { changeText } from '../change-text.ts';
import { usageError, writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';
import { registrarData } from './data.ts';

export const command = writing(
  'registrar update ALPHA --allow-ip 192.0.2.7',
  'registrar update ALPHA --allow-all',
)
  .argument('<code>', 'the code of the registrar')
  .option('--name <name>', 'its new name')
  .option('--allow-ip <cidr...>', 'the addresses and ranges that replace the old list')
  .addOption(
    new Option('--allow-all', 'empty the list, so that any address may call').conflicts('allowIp'),
  )
  .action((code, options) => {
    if (!(options.name !== undefined || options.allowIp || options.allowAll)) {
      throw usageError('nothing to change: give --name, --allow-ip or --allow-all');
    }
    return run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const wanted = { name: options.name, allowedIps: options.allowAll ? [] : options.allowIp };
      const updated = await updateRegistrar(db, origin, code, wanted, { isDryRun });
      const changes = shownChanges(updated.changes);
      const fields = Object.entries(changes).map(
        ([field, change]) => `${field}: ${changeText(change)}`,
      );
      const isChanged = fields.length > 0;
      return {
        data: {
          registrar: registrarData(updated.registrar),
          changes,
          changed: isChanged && !isDryRun,
        },
        text: isChanged
          ? `${did('change', registry)} registrar ${code}: ${fields.join('; ')}`
          : `nothing to change: registrar ${code} already has these values`,
      };
    });
  });
