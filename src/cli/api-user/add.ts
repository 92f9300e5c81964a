import { addApiUser } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

export const command = writing('api-user add --registrar ALPHA --username ats')
  .requiredOption('--registrar <code>', 'the registrar that the user acts for')
  .requiredOption('--username <name>', 'unique in the whole registry')
  .action((options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { registrar: registrarCode, username } = options;
      const secret = await addApiUser(db, origin, { registrarCode, username }, { isDryRun });
      const done = `${did('add', registry)} API user ${username} of ${registrarCode}`;
      return {
        data: { username, registrar: registrarCode, secret, changed: !isDryRun },
        text: secret === undefined ? done : `${done}; its secret, shown only now:\n${secret}`,
      };
    }),
  );
