import { RegistryError } from '../../../error.ts';
import { getRegistrar } from '../../../registrar/account.ts';
import { senderOf, testWebhook } from '../../../webhook/deliver.ts';
import { writing } from '../../command.ts';
import { run } from '../../run.ts';

export const command = writing('registrar webhook test ALPHA')
  .argument('<code>', 'the registrar')
  .action((code, options) =>
    run(options, async ({ db, env, isDryRun }) => {
      const { webhookUrl: url } = await getRegistrar(db, code);
      if (url === null) {
        throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
      }
      if (isDryRun) return { data: { url }, text: `would send a test to ${url}` };
      const { id, outcome, deliveredAt } = await testWebhook(db, code, senderOf(env));
      const isDelivered = deliveredAt !== null;
      if (!isDelivered) process.exitCode = 1;
      return {
        data: { url, id, outcome, delivered: isDelivered },
        text: `${isDelivered ? 'delivered' : 'not delivered'} (${outcome}): ${id}`,
      };
    }),
  );
