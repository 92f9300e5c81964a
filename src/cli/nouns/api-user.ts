import { checkRegistrar } from '../../registrar/account.ts';
import { addApiUser, listApiUsers } from '../../registrar/api-user.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { noun, reading, writing } from '../command.ts';
import { listReport } from '../report/text.ts';
import { verb } from '../run.ts';
import { rotate, secretText, switching } from './holder.ts';

const add = verb(
  writing('add', 'api-user add --registrar ALPHA --username ats')
    .description('Add an API user and print the generated secret, once')
    .requiredOption('--registrar <code>', 'the registrar that the user acts for', asciiUpperCase)
    .requiredOption('--username <name>', 'unique in the whole registry'),
  async (registry, { registrar, username }) => {
    const secret = await addApiUser(registry, { registrarCode: registrar, username });
    const done = `${registry.did('add')} API user ${username} of ${registrar}`;
    return {
      data: { username, registrar, secret, changed: !registry.isDryRun },
      text: secretText(done, 'its secret', secret),
    };
  },
);

const rotation = verb(
  writing('rotate', 'api-user rotate ats')
    .description('Replace the secret of an API user and print the new one, once')
    .argument('<username>', 'the user, whose old secret or password stops working'),
  (registry, key) => rotate(registry, { type: 'api_user', key }, { atOnce: true }),
);

const list = verb(
  reading('list', 'api-user list --registrar ALPHA')
    .description('List the API users of one registrar or of all, and how old their secrets are')
    .option('--registrar <code>', 'only the users of this registrar', asciiUpperCase),
  async ({ db }, { registrar }) => {
    await checkRegistrar(db, registrar);
    const listed = await listApiUsers(db, registrar);
    const users = listed.map((user) => ({
      id: user.id,
      username: user.username,
      registrar: user.registrarCode,
      has_old_password: user.hasOldPassword,
      secret_changed_at: user.secretChangedAt,
      previous_secret_changed_at: user.previousSecretChangedAt,
      previous_secret_valid_until: user.previousSecretValidUntil,
      disabled_at: user.disabledAt,
      created_at: user.createdAt,
      updated_at: user.updatedAt,
    }));
    return listReport('api_users', users, 'there are no API users yet', {
      USERNAME: 'username',
      REGISTRAR: 'registrar',
      SECRET: (user) =>
        `${user.has_old_password ? 'old password ' : ''}since ${user.secret_changed_at}`,
      'PREVIOUS SECRET': (user) => {
        const { previous_secret_changed_at: since, previous_secret_valid_until: until } = user;
        if (since === null) return '';
        return `since ${since}, until ${until ?? 'a day after the new one is first used'}`;
      },
      STATE: ({ disabled_at }) =>
        disabled_at === null ? 'enabled' : `disabled since ${disabled_at}`,
    });
  },
);

export const apiUserCommand = noun('api-user', 'api-user add --registrar ALPHA --username ats', [
  add,
  rotation,
  ...switching('api_user', 'ats'),
  list,
]).description("Registrars' users of the registrar interface");
