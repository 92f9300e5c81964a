import { addRegistrar, type Registrar } from '../../registrar/account.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';

export const add = writing(
  'add',
  'Add a registrar',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24 2001:db8::/32',
)
  .requiredOption('--code <code>', 'the prefix of its contacts: A-Z, 0-9, _ and -')
  .requiredOption('--name <name>', 'its name')
  .option('--allow-ip <cidr...>', 'addresses and ranges that may call; without any, all may')
  .action((options) =>
    run(options, async ({ db, origin, isDryRun }) => {
      const { code, name, allowIp: allowedIps = [] } = options;
      const registrar = await addRegistrar(db, origin, { code, name, allowedIps }, isDryRun);
      return {
        data: { registrar: registrarData(registrar), changed: !isDryRun },
        text: `${isDryRun ? 'would add' : 'added'} registrar ${registrar.code}, callable from ${
          allowedIps.join(', ') || 'every address'
        }`,
      };
    }),
  );

export function registrarData(registrar: Registrar) {
  return {
    code: registrar.code,
    name: registrar.name,
    allowed_ips: registrar.allowedIps,
    contact_count: registrar.contactCount,
    created_at: registrar.createdAt,
    updated_at: registrar.updatedAt,
  };
}
