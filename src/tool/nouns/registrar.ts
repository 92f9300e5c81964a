import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isLocalEnvironment } from '../../base/env.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import type { Changes } from '../../change/history/changes.ts';
import { getRegistrar, type Registrar } from '../../party/registrar/account.ts';
import {
  addRegistrar,
  listRegistrars,
  type RegistrarChanges,
  updateRegistrar,
} from '../../party/registrar/operator/account.ts';
import { listApiUsers } from '../../party/registrar/operator/api-user.ts';
import { parseWebhookUrl } from '../../party/webhook/url.ts';
import { reportOfChange, valuesBefore } from '../../view/changes.ts';
import { dataOf } from '../../view/columns.ts';
import { addressesText, registrarsView } from '../../view/registrar.ts';
import {
  noun,
  readCommand,
  reasonOption,
  requireOneOf,
  splitList,
  writeCommand,
} from '../command.ts';
import type { Registry } from '../registry.ts';
import { type Report, verb } from '../run.ts';
import { listCommand, listVerb, type RowView, showReport } from '../view.ts';
import { diagnose } from './registrar-diagnose.ts';
import { move } from './registrar-move.ts';
import { webhook } from './registrar-webhook.ts';

const registrars: RowView<Registrar, unknown[]> = {
  ...registrarsView,
  read: ({ db }) => listRegistrars(db),
};

const channelNotes = {
  phone: 'where to call it, for example +372.5123456',
  email: 'where to write to it',
  website: 'its pages, an http or https URL',
};

/** EPP allows 16 characters (RFC 5730, `clIDType`): the prefix, a colon and the eight characters of a code that is made here. */
const longestCodeForEpp = 7;
const tooLongForEpp =
  'note: the contact codes that are made for it have more than the 16 characters of EPP; a prefix of at most 7 leaves room';

const add = verb(
  writeCommand('add', 'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24')
    .description('Add a registrar')
    .requiredOption('--code <code>', 'the prefix of its contacts: A-Z, 0-9, _, -', asciiUpperCase)
    .requiredOption('--name <name>', 'its name')
    .option('--phone <number>', channelNotes.phone)
    .option('--email <address>', channelNotes.email)
    .option('--website <url>', channelNotes.website)
    .option(
      '--allow-ip <cidr...>',
      'addresses and ranges it may call from; by default, any',
      parseAddresses,
    ),
  async (registry, { code, name, phone, email, website, allowIp: allowedIps = [] }) => {
    const described = { code, name, phone, email, website, allowedIps };
    const registrar = await addRegistrar(registry, described);
    const done = `${registry.did('add')} registrar ${code}, callable from ${addressesText(registrar)}`;
    return {
      data: { registrar: dataOf(registrarsView.columns, registrar) },
      text: code.length > longestCodeForEpp ? [done, tooLongForEpp] : done,
    };
  },
);

const list = listVerb(registrars, listCommand('List the registrars', 'registrar list --json'));

const show = verb(
  readCommand('show', 'registrar show ALPHA')
    .description('Show a registrar and its API users')
    .argument('<code>', 'the registrar', asciiUpperCase),
  async ({ db, origin }, code) => {
    const registrar = await getRegistrar(db, code);
    const users = await listApiUsers(db, origin.request.at, code);
    const api_users = {
      of: () => users.map(({ username }) => username),
      cell: () => users.map((one) => `${one.username}${one.disabledAt ? ' (disabled)' : ''}`),
    };
    return showReport('registrar', { ...registrarsView.columns, api_users }, registrar);
  },
);

const update = verb(
  writeCommand('update', 'registrar update ALPHA --allow-ip 192.0.2.7')
    .description(
      'Change what is on record about a registrar, where it may call from, or its webhook',
    )
    .argument('<code>', 'the registrar', asciiUpperCase)
    .option('--name <name>', 'its new name')
    .option('--phone <number>', `${channelNotes.phone}; '' clears it`)
    .option('--email <address>', `${channelNotes.email}; '' clears it`)
    .option('--website <url>', `${channelNotes.website}; '' clears it`)
    .option(
      '--allow-ip <cidr...>',
      'the addresses and ranges that replace the old list',
      parseAddresses,
    )
    .addOption(new Option('--allow-all', 'any address may call').conflicts('allowIp'))
    .option('--webhook <url>', 'where to push its notifications; prints a new secret, once')
    .option('--no-webhook', 'stop pushing its notifications')
    .hook(
      'preAction',
      requireOneOf(
        ...['--name', '--phone', '--email', '--website'],
        ...['--allow-ip', '--allow-all', '--webhook', '--no-webhook'],
      ),
    ),
  async (registry, code, { name, phone, email, website, allowIp, allowAll, webhook }) => {
    const isLocal = isLocalEnvironment(registry.env);
    const webhookUrl = webhookUrlOf(webhook, { isLocal });
    const allowedIps = allowAll ? [] : allowIp;
    return change(registry, code, { name, phone, email, website, allowedIps, webhookUrl });
  },
);

const suspend = verb(
  writeCommand('suspend', 'registrar suspend ALPHA --reason "contract ended"')
    .description('Refuse all logins of a registrar from the next request on; its webhook goes on')
    .argument('<code>', 'the registrar', asciiUpperCase)
    .addOption(reasonOption()),
  async (registry, code, { reason }) => {
    const report = await change(registry, code, { suspension: reason });
    return { ...report, undo: ['registrar', 'resume', code] };
  },
);

const resume = verb(
  writeCommand('resume', 'registrar resume ALPHA')
    .description('Let a suspended registrar log in again')
    .argument('<code>', 'the registrar', asciiUpperCase),
  (registry, code) => change(registry, code, { suspension: null }),
);

/** Reports the changes and the secret of a new webhook. */
async function change(registry: Registry, code: string, wanted: RegistrarChanges): Promise<Report> {
  const updated = await updateRegistrar(registry, code, wanted);
  const { registrar, changes, webhookSecret: secret } = updated;
  const { data, text } = reportOfChange(registry, `registrar ${code}`, changes);
  return {
    data: { registrar: dataOf(registrarsView.columns, registrar), webhook_secret: secret, ...data },
    text: secret === undefined ? text : [text, "the webhook's secret, shown only now:", secret],
    secret,
    ...wayBack(code, changes),
  };
}

/** None to an earlier webhook: the history does not have its secret. */
function wayBack(code: string, changes: Changes): Pick<Report, 'undo'> {
  const { name, allowedIps, webhookUrl } = valuesBefore(changes);
  const addresses = allowedIps as string[] | undefined;
  const hadWebhook = webhookUrl !== null && ('webhookUrl' in changes || 'webhookSecret' in changes);
  if (hadWebhook || 'suspendedAt' in changes) return {};
  const words = [
    ...(name === undefined ? [] : ['--name', String(name)]),
    ...(addresses ? (addresses.length > 0 ? ['--allow-ip', ...addresses] : ['--allow-all']) : []),
    ...(webhookUrl === null ? ['--no-webhook'] : []),
  ];
  return words.length > 0 ? { undo: ['registrar', 'update', code, ...words] } : {};
}

const verbs = [add, list, show, update, suspend, resume, move, diagnose, webhook];
export const registrarCommand = noun('registrar', 'Registrars', verbs);

/** Refuses no address at all: an empty list would let any address call. */
function parseAddresses(text: string, before?: readonly string[]): string[] {
  const addresses = splitList(text, before);
  if (addresses.length === 0) throw new InvalidArgumentError('It must name an address.');
  return addresses;
}

/** Commander gives false for --no-webhook. */
function webhookUrlOf(webhook: string | false | undefined, environment: { isLocal: boolean }) {
  if (typeof webhook === 'string') return parseWebhookUrl(webhook, environment);
  return webhook === false ? null : undefined;
}
