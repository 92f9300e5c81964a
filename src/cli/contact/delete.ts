import { deleteAnyContact } from '../../contact/administer.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

export const command = writing('contact delete ALPHA:1B7A3C5D')
  .argument('<code>', 'the contact')
  .action((text, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const code = asciiUpperCase(text);
      await deleteAnyContact(db, origin, code, { isDryRun });
      return {
        data: { code, changed: !isDryRun },
        text: `${did('delete', registry)} contact ${code}`,
      };
    }),
  );
