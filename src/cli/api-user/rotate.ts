import { rotateApiUser } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';

export const rotate = writing(
  'rotate',
  'Give an API user a new secret, and print it, this once; the old one is refused from then on',
  'api-user rotate ats',
)
  .argument('<username>', 'the user')
  .action((username, options) =>
    run(options, async ({ db, origin, isDryRun }) => {
      const secret = await rotateApiUser(db, origin, username, isDryRun);
      return {
        data: { username, secret, changed: !isDryRun },
        text:
          secret === undefined
            ? `would give API user ${username} a new secret`
            : `the new secret of API user ${username}, shown this once:\n${secret}`,
      };
    }),
  );
