import { Option } from '@commander-js/extra-typings';
import { shownChanges } from '../../history.ts';
import { updateRegistrar } from '../../registrar/account.ts';
import { usageError, writing } from '../command.ts';
import { changeText } from '../history.ts';
import { run } from '../run.ts';
import { registrarData } from './add.ts';

export const update = writing(
  'update',
  'Change the name of a registrar, or the addresses that it may call from',
  'registrar update ALPHA --allow-ip 192.0.2.7',
  'registrar update ALPHA --allow-all',
)
  .argument('<code>', 'the code of the registrar')
  .option('--name <name>', 'its new name')
  .option('--allow-ip <cidr...>', 'the new list of addresses and ranges, in place of the old one')
  .addOption(
    new Option('--allow-all', 'empty the list, which lets every address call').conflicts('allowIp'),
  )
  .action((code, options) => {
    if (!(options.name !== undefined || options.allowIp || options.allowAll)) {
      throw usageError('there is nothing to change: give --name, --allow-ip or --allow-all');
    }
    return run(options, async ({ db, origin, isDryRun }) => {
      const given = { name: options.name, allowedIps: options.allowAll ? [] : options.allowIp };
      const updated = await updateRegistrar(db, origin, code, given, isDryRun);
      const changes = shownChanges(updated.changes);
      const fields = Object.entries(changes).map(
        ([field, change]) => `${field}: ${changeText(change)}`,
      );
      return {
        data: {
          registrar: registrarData(updated.registrar),
          changes,
          changed: fields.length > 0 && !isDryRun,
        },
        text:
          fields.length === 0
            ? `registrar ${code} is so already`
            : `${isDryRun ? 'would change' : 'changed'} registrar ${code}: ${fields.join('; ')}`,
      };
    });
  });
