import { addApiUser } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';

export const add = writing(
  'add',
  'Add an API user, and print the generated secret, this once',
  'api-user add --registrar ALPHA --username ats',
)
  .requiredOption('--registrar <code>', 'the registrar that the user acts for')
  .requiredOption('--username <name>', 'unique in the whole registry')
  .action((options) =>
    run(options, async ({ db, origin, isDryRun }) => {
      const { registrar: registrarCode, username } = options;
      const secret = await addApiUser(db, origin, { registrarCode, username }, isDryRun);
      return {
        data: { username, registrar: registrarCode, secret, changed: !isDryRun },
        text:
          secret === undefined
            ? `would add API user ${username} of ${registrarCode}`
            : `added API user ${username} of ${registrarCode}; the secret, shown this once:\n${secret}`,
      };
    }),
  );
