import { setApiUserDisabled } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

/** The command that disables an API user, or enables it again. */
export function switching(verb: 'disable' | 'enable', { isDisabled }: { isDisabled: boolean }) {
  return writing(`api-user ${verb} ats`)
    .argument('<username>', 'the user')
    .action((username, options) =>
      run(options, async (registry) => {
        const { db, origin, isDryRun } = registry;
        const user = { username, isDisabled };
        const isChange = await setApiUserDisabled(db, origin, user, { isDryRun });
        return {
          data: { username, disabled: isDisabled, changed: isChange && !isDryRun },
          text: isChange
            ? `${did(verb, registry)} API user ${username}`
            : `nothing to change: API user ${username} is already ${verb}d`,
        };
      }),
    );
}
