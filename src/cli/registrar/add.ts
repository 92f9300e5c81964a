import { addRegistrar } from '../../registrar/account.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';
import { registrarData } from './data.ts';

export const command = writing(
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24 2001:db8::/32',
)
  .requiredOption('--code <code>', 'the prefix of its contacts: A-Z, 0-9, _ and -')
  .requiredOption('--name <name>', 'its name')
  .option('--allow-ip <cidr...>', 'addresses and ranges it may call from; by default, any')
  .action((options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { code, name, allowIp: allowedIps = [] } = options;
      const registrar = await addRegistrar(db, origin, { code, name, allowedIps }, { isDryRun });
      const addresses = registrar.allowedIps.join(', ') || 'every address';
      return {
        data: { registrar: registrarData(registrar), changed: !isDryRun },
        text: `${did('add', registry)} registrar ${code}, callable from ${addresses}`,
      };
    }),
  );
