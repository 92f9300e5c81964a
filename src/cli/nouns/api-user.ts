import { setHolderDisabled } from '../../certificate/holder.ts';
import { checkRegistrar } from '../../registrar/account.ts';
import { addApiUser, listApiUsers, rotateApiUser } from '../../registrar/api-user.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { noun, reading, writing } from '../command.ts';
import { listReport } from '../report/text.ts';
import { verb } from '../run.ts';

const add = verb(
  writing('add', 'api-user add --registrar ALPHA --username ats')
    .description('Add an API user and print the generated secret, once')
    .requiredOption('--registrar <code>', 'the registrar that the user acts for', asciiUpperCase)
    .requiredOption('--username <name>', 'unique in the whole registry'),
  async ({ db, origin, isDryRun, did }, options) => {
    const { registrar: registrarCode, username } = options;
    const secret = await addApiUser(db, origin, { registrarCode, username }, { isDryRun });
    const done = `${did('add')} API user ${username} of ${registrarCode}`;
    return {
      data: { username, registrar: registrarCode, secret, changed: !isDryRun },
      text: secret === undefined ? done : `${done}; its secret, shown only now:\n${secret}`,
    };
  },
);

const rotate = verb(
  writing('rotate', 'api-user rotate ats')
    .description('Replace the secret of an API user and print the new one, once')
    .argument('<username>', 'the user, whose old secret or password stops working'),
  async ({ db, origin, isDryRun, did }, username) => {
    const secret = await rotateApiUser(db, origin, username, { isDryRun });
    const done = `${did('replace')} the secret of API user ${username}`;
    return {
      data: { username, secret, changed: !isDryRun },
      text: secret === undefined ? done : `${done}; the new one, shown only now:\n${secret}`,
    };
  },
);

function switching(word: 'disable' | 'enable', description: string) {
  const isDisabled = word === 'disable';
  return verb(
    writing(word, `api-user ${word} ats`)
      .description(description)
      .argument('<username>', 'the user'),
    async ({ db, origin, isDryRun, did }, username) => {
      const user = { type: 'api_user', key: username } as const;
      const changes = await setHolderDisabled(db, origin, user, isDisabled, { isDryRun });
      const isChange = changes.disabledAt !== undefined;
      return {
        data: { username, disabled: isDisabled, changed: isChange && !isDryRun },
        text: isChange
          ? `${did(word)} API user ${username}`
          : `nothing to change: API user ${username} is already ${word}d`,
        undo: ['api-user', isDisabled ? 'enable' : 'disable', username],
      };
    },
  );
}

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
  rotate,
  switching('disable', 'Disable an API user, effective from the next request'),
  switching('enable', 'Re-enable a disabled API user'),
  list,
]).description("Registrars' users of the registrar interface");
