import { reading } from '../command.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';
import { everyRetainedDomain } from './every.ts';
import { statusOption } from './status.ts';

export const command = reading('retained list --status blocked')
  .addOption(statusOption('only names with this status'))
  .action((options) =>
    run(options, async ({ db }) => {
      const names = await Array.fromAsync(everyRetainedDomain(db, options.status));
      return {
        data: {
          retained_domains: names.map(({ name, punycode, status }) => ({
            name,
            punycode_name: punycode,
            status,
          })),
        },
        text: table(
          ['NAME', 'PUNYCODE', 'STATUS'],
          names.map(({ name, punycode, status }) => [name, punycode, status]),
          'there are no such names',
        ),
      };
    }),
  );
