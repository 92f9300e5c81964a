import { Option } from '@commander-js/extra-typings';
import { isLocalEnvironment } from '../../env.ts';
import {
  addRegistrar,
  getRegistrar,
  listRegistrars,
  type Registrar,
  type RegistrarChanges,
  updateRegistrar,
} from '../../registrar/account.ts';
import { listApiUsers } from '../../registrar/api-user.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { parseWebhookUrl } from '../../webhook/url.ts';
import { noun, reading, usageError, writing } from '../command.ts';
import type { Registry } from '../registry.ts';
import { reportOfChange } from '../report/changes.ts';
import { fieldLines, listReport } from '../report/text.ts';
import { type Report, verb } from '../run.ts';
import { diagnose } from './registrar-diagnose.ts';
import { webhook } from './registrar-webhook.ts';

const add = verb(
  writing(
    'add',
    'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24 2001:db8::/32',
  )
    .description('Add a registrar')
    .requiredOption(
      '--code <code>',
      'the prefix of its contacts: A-Z, 0-9, _ and -',
      asciiUpperCase,
    )
    .requiredOption('--name <name>', 'its name')
    .option('--allow-ip <cidr...>', 'addresses and ranges it may call from; by default, any'),
  async (registry, { code, name, allowIp: allowedIps = [] }) => {
    const registrar = await addRegistrar(registry, { code, name, allowedIps });
    return {
      data: { registrar: registrarData(registrar), changed: !registry.isDryRun },
      text: `${registry.did('add')} registrar ${code}, callable from ${addressesText(registrar.allowedIps)}`,
    };
  },
);

const list = verb(
  reading('list', 'registrar list --json').description('List the registrars'),
  async ({ db }) => {
    const registrars = (await listRegistrars(db)).map(registrarData);
    return listReport('registrars', registrars, 'there are no registrars yet', {
      CODE: 'code',
      NAME: 'name',
      CONTACTS: 'contact_count',
      STATE: ({ suspended_at: since }) => (since === null ? 'active' : `suspended since ${since}`),
      'CALLABLE FROM': (registrar) => addressesText(registrar.allowed_ips),
    });
  },
);

const show = verb(
  reading('show', 'registrar show ALPHA')
    .description('Show a registrar and its API users')
    .argument('<code>', 'the registrar', asciiUpperCase),
  async ({ db }, code) => {
    const registrar = await getRegistrar(db, code);
    const users = await listApiUsers(db, code);
    const usernames = users.map(({ username }) => username);
    const data = { ...registrarData(registrar), api_users: usernames };
    return { data: { registrar: data }, text: fieldLines(data) };
  },
);

const update = verb(
  writing(
    'update',
    'registrar update ALPHA --allow-ip 192.0.2.7',
    'registrar update ALPHA --allow-all',
    'registrar update ALPHA --webhook https://hooks.example.ee/registry',
  )
    .description('Change the name of a registrar, the addresses it may call from, or its webhook')
    .argument('<code>', 'the code of the registrar', asciiUpperCase)
    .option('--name <name>', 'its new name')
    .option('--allow-ip <cidr...>', 'the addresses and ranges that replace the old list')
    .addOption(
      new Option('--allow-all', 'empty the list, so that any address may call').conflicts(
        'allowIp',
      ),
    )
    .option('--webhook <url>', 'where to push its notifications; prints a new secret, once')
    .addOption(new Option('--no-webhook', 'stop pushing its notifications'))
    .hook('preAction', (command) => {
      const { name, allowIp, allowAll, webhook } = command.opts();
      if ([name, allowIp, allowAll, webhook].some((option) => option !== undefined)) return;
      throw usageError(
        'nothing to change: give --name, --allow-ip, --allow-all, --webhook or --no-webhook',
      );
    }),
  async (registry, code, { name, allowIp, allowAll, webhook }) => {
    const isLocal = isLocalEnvironment(registry.env);
    const webhookUrl = webhookUrlOf(webhook, { isLocal });
    return change(registry, code, { name, allowedIps: allowAll ? [] : allowIp, webhookUrl });
  },
);

const suspend = verb(
  writing('suspend', 'registrar suspend ALPHA --reason "contract ended"')
    .description('Refuse all logins of a registrar from the next request on; its webhook goes on')
    .argument('<code>', 'the registrar', asciiUpperCase)
    .requiredOption('--reason <text>', 'why; the history keeps it'),
  async (registry, code, { reason }) => {
    const report = await change(registry, code, { suspension: reason });
    return { ...report, undo: ['registrar', 'resume', code] };
  },
);

const resume = verb(
  writing('resume', 'registrar resume ALPHA')
    .description('Let a suspended registrar log in again')
    .argument('<code>', 'the registrar', asciiUpperCase),
  (registry, code) => change(registry, code, { suspension: null }),
);

/** Changes a registrar, and reports what has changed and the secret of a new webhook. */
async function change(registry: Registry, code: string, wanted: RegistrarChanges): Promise<Report> {
  const updated = await updateRegistrar(registry, code, wanted);
  const { registrar, changes, webhookSecret: secret } = updated;
  const { data, text } = reportOfChange(registry, `registrar ${code}`, changes);
  return {
    data: { registrar: registrarData(registrar), webhook_secret: secret, ...data },
    text: secret === undefined ? text : `${text}\nthe webhook's secret, shown only now:\n${secret}`,
  };
}

export const registrarCommand = noun(
  'registrar',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24',
  [add, list, show, update, suspend, resume, diagnose, webhook],
).description('Registrars and the addresses they may call from');

function registrarData(registrar: Registrar) {
  return {
    code: registrar.code,
    name: registrar.name,
    allowed_ips: registrar.allowedIps,
    webhook_url: registrar.webhookUrl,
    webhook_failing_since: registrar.webhookFailingSince,
    contact_count: registrar.contactCount,
    suspended_at: registrar.suspendedAt,
    created_at: registrar.createdAt,
    updated_at: registrar.updatedAt,
  };
}

function addressesText(allowedIps: readonly string[]): string {
  return allowedIps.join(', ') || 'every address';
}

/** Commander gives false for --no-webhook. */
function webhookUrlOf(webhook: string | false | undefined, environment: { isLocal: boolean }) {
  if (typeof webhook === 'string') return parseWebhookUrl(webhook, environment);
  return webhook === false ? null : undefined;
}
