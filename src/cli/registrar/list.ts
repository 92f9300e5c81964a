import { listRegistrars } from '../../registrar/account.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';
import { registrarData } from './data.ts';

export const command = reading('registrar list --json').action((options) =>
  run(options, async ({ db }) => {
    const registrars = await listRegistrars(db);
    return {
      data: { registrars: registrars.map(registrarData) },
      text: table(
        ['CODE', 'NAME', 'CONTACTS', 'CALLABLE FROM'],
        registrars.map(({ code, name, contactCount, allowedIps }) => [
          code,
          name,
          contactCount,
          allowedIps.join(', ') || 'every address',
        ]),
        'there are no registrars yet',
      ),
    };
  }),
);
