import { Option } from '@commander-js/extra-typings';
import { isLocalEnvironment } from '../../env.ts';
import { shownChanges } from '../../history/changes.ts';
import { updateRegistrar } from '../../registrar/account.ts';
import { parseWebhookUrl } from '../../webhook/url.ts';
import { changeText } from '../change-text.ts';
import { usageError, writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';
import { registrarData } from './data.ts';

export const command = writing(
  'registrar update ALPHA --allow-ip 192.0.2.7',
  'registrar update ALPHA --allow-all',
  'registrar update ALPHA --webhook https://hooks.example.ee/registry',
)
  .argument('<code>', 'the code of the registrar')
  .option('--name <name>', 'its new name')
  .option('--allow-ip <cidr...>', 'the addresses and ranges that replace the old list')
  .addOption(
    new Option('--allow-all', 'empty the list, so that any address may call').conflicts('allowIp'),
  )
  .option('--webhook <url>', 'where to push its notifications; prints a new secret, once')
  .addOption(new Option('--no-webhook', 'stop pushing its notifications'))
  .action((code, options) => {
    const { name, allowIp, allowAll, webhook } = options;
    if ([name, allowIp, allowAll, webhook].every((option) => option === undefined)) {
      throw usageError(
        'nothing to change: give --name, --allow-ip, --allow-all, --webhook or --no-webhook',
      );
    }
    return run(options, async (registry) => {
      const { db, env, origin, isDryRun } = registry;
      const wanted = {
        name,
        allowedIps: allowAll ? [] : allowIp,
        webhookUrl: webhookUrlOf(webhook, { isLocal: isLocalEnvironment(env) }),
      };
      const updated = await updateRegistrar(db, origin, code, wanted, { isDryRun });
      const changes = shownChanges(updated.changes);
      const fields = Object.entries(changes).map(
        ([field, change]) => `${field}: ${changeText(change)}`,
      );
      const isChanged = fields.length > 0;
      const { webhookSecret: secret } = updated;
      const shownSecret =
        secret === undefined ? '' : `\nthe webhook's secret, shown only now:\n${secret}`;
      return {
        data: {
          registrar: registrarData(updated.registrar),
          changes,
          webhook_secret: secret,
          changed: isChanged && !isDryRun,
        },
        text: isChanged
          ? `${did('change', registry)} registrar ${code}: ${fields.join('; ')}${shownSecret}`
          : `nothing to change: registrar ${code} already has these values`,
      };
    });
  });

/** Null for --no-webhook, which Commander gives as false. */
function webhookUrlOf(webhook: string | false | undefined, environment: { isLocal: boolean }) {
  if (typeof webhook === 'string') return parseWebhookUrl(webhook, environment);
  return webhook === false ? null : undefined;
}
