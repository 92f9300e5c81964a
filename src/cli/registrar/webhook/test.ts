import { senderOf, testWebhook } from '../../../webhook/deliver.ts';
import { reading } from '../../command.ts';
import { run } from '../../run.ts';

export const command = reading('registrar webhook test ALPHA')
  .argument('<code>', 'the registrar')
  .action((code, options) =>
    run(options, async ({ db, env }) => {
      const { id, outcome, deliveredAt } = await testWebhook(db, code, senderOf(env));
      const isDelivered = deliveredAt !== null;
      if (!isDelivered) process.exitCode = 1;
      return {
        data: { id, outcome, delivered: isDelivered },
        text: `${isDelivered ? 'delivered' : 'not delivered'} (${outcome}): ${id}`,
      };
    }),
  );
