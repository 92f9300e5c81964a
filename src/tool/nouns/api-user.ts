import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { checkRegistrar } from '../../party/registrar/operator/account.ts';
import { addApiUser, listApiUsers } from '../../party/registrar/operator/api-user.ts';
import { apiUsersView, type ListedApiUser } from '../../view/holders.ts';
import { noun, writeCommand } from '../command.ts';
import { verb } from '../run.ts';
import { listCommand, listVerb, type RowView } from '../view.ts';
import { holderRefusals, refusalLines, rotate, secretText, switching } from './holder.ts';

const add = verb(
  writeCommand('add', 'api-user add --registrar ALPHA --username ats')
    .description('Add an API user and print the generated secret, once')
    .requiredOption('--registrar <code>', 'the registrar that the user acts for', asciiUpperCase)
    .requiredOption('--username <name>', 'unique in the whole registry'),
  async (registry, { registrar, username }) => {
    const secret = await addApiUser(registry, { registrarCode: registrar, username });
    const done = `${registry.did('add')} API user ${username} of ${registrar}`;
    const holder = { type: 'api_user', key: username } as const;
    const refusals = await holderRefusals(registry, holder);
    return {
      data: { username, registrar, secret, refused_because: refusals },
      text: [secretText(done, 'its secret', secret), ...refusalLines(registry, holder, refusals)],
      secret,
    };
  },
);

const rotation = verb(
  writeCommand('rotate', 'api-user rotate ats')
    .description('Replace the secret of an API user and print the new one, once')
    .argument('<username>', 'the user, whose old secret or password stops working'),
  (registry, key) => rotate(registry, { type: 'api_user', key }, { atOnce: true }),
);

const apiUsers: RowView<ListedApiUser, [{ registrar?: string }]> = {
  ...apiUsersView,
  async read({ db, origin }, { registrar }) {
    await checkRegistrar(db, registrar);
    return listApiUsers(db, origin.request.at, registrar);
  },
};

const list = listVerb(
  apiUsers,
  listCommand('List the API users, and how old their secrets are', 'api-user list').option(
    '--registrar <code>',
    'only the users of this registrar',
    asciiUpperCase,
  ),
);

const verbs = [add, rotation, ...switching('api_user', 'ats'), list];
export const apiUserCommand = noun('api-user', 'Users of the registrar interface', verbs);
