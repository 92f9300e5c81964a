import { rotateApiUser } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

export const command = writing('api-user rotate ats')
  .argument('<username>', 'the user, whose old secret stops working')
  .action((username, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const secret = await rotateApiUser(db, origin, username, { isDryRun });
      const done = `${did('replace', registry)} the secret of API user ${username}`;
      return {
        data: { username, secret, changed: !isDryRun },
        text: secret === undefined ? done : `${done}; the new one, shown only now:\n${secret}`,
      };
    }),
  );
