import { setApiUserDisabled } from '../../registrar/api-user.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';

export const disable = switching('disable', 'Refuse an API user from the next request on', true);
export const enable = switching('enable', 'Let a disabled API user in again', false);

function switching(verb: 'disable' | 'enable', summary: string, isDisabled: boolean) {
  return writing(verb, summary, `api-user ${verb} ats`)
    .argument('<username>', 'the user')
    .action((username, options) =>
      run(options, async ({ db, origin, isDryRun }) => {
        const isChange = await setApiUserDisabled(db, origin, username, isDisabled, isDryRun);
        return {
          data: { username, disabled: isDisabled, changed: isChange && !isDryRun },
          text: isChange
            ? `${isDryRun ? 'would ' : ''}${verb}${isDryRun ? '' : 'd'} API user ${username}`
            : `API user ${username} is ${verb}d already`,
        };
      }),
    );
}
