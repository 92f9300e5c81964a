import { getRegistrar } from '../../registrar/account.ts';
import { listApiUsers } from '../../registrar/api-user.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { fieldLines } from '../text.ts';
import { registrarData } from './data.ts';

export const command = reading('registrar show ALPHA')
  .argument('<code>', 'the registrar')
  .action((code, options) =>
    run(options, async ({ db }) => {
      const registrar = await getRegistrar(db, code);
      const users = await listApiUsers(db, code);
      const usernames = users.map(({ username }) => username);
      const data = { ...registrarData(registrar), api_users: usernames };
      return { data: { registrar: data }, text: fieldLines(data) };
    }),
  );
