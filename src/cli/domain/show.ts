import { parseDomainName } from '../../domain/name.ts';
import { getDomain } from '../../domain/read.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { fieldLines } from '../text.ts';

export const command = reading('domain show õunaaed.ee')
  .argument('<name>', 'the name in its Unicode form, lower case')
  .action((text, options) =>
    run(options, async ({ db }) => {
      const { name, punycode } = parseDomainName(text);
      const { registrar, registrant, admin, tech, createdAt } = await getDomain(db, name);
      const data = {
        ...{ name, punycode_name: punycode, registrar, registrant, admin, tech },
        created_at: createdAt,
      };
      return { data: { domain: data }, text: fieldLines(data) };
    }),
  );
