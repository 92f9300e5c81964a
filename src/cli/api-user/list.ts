import { listApiUsers } from '../../registrar/api-user.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const command = reading('api-user list --registrar ALPHA')
  .option('--registrar <code>', 'only the users of this registrar')
  .action((options) =>
    run(options, async ({ db }) => {
      const users = await listApiUsers(db, options.registrar);
      return {
        data: {
          api_users: users.map((user) => ({
            id: user.id,
            username: user.username,
            registrar: user.registrarCode,
            disabled_at: user.disabledAt,
            created_at: user.createdAt,
            updated_at: user.updatedAt,
          })),
        },
        text: table(
          ['USERNAME', 'REGISTRAR', 'STATE'],
          users.map(({ username, registrarCode, disabledAt }) => [
            username,
            registrarCode,
            disabledAt === null ? 'enabled' : `disabled since ${disabledAt}`,
          ]),
          'there are no API users yet',
        ),
      };
    }),
  );
