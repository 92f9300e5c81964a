import { type DomainOfContact, listDomainsOfContact } from '../../domain/list.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const command = reading('domain list --contact ALPHA:1B7A3C5D')
  .requiredOption('--contact <code>', 'the contact')
  .action((options) =>
    run(options, async ({ db }) => {
      const domains = await Array.fromAsync(
        everyPage<DomainOfContact, string>(
          (page) => listDomainsOfContact(db, options.contact, page),
          ({ name }) => name,
        ),
      );
      return {
        data: {
          domains: domains.map(({ name, punycode, registrar, roles }) => ({
            name,
            punycode_name: punycode,
            registrar,
            roles,
          })),
        },
        text: table(
          ['NAME', 'REGISTRAR', 'AS'],
          domains.map(({ name, registrar, roles }) => [name, registrar, roles.join(', ')]),
          `no domain refers to ${options.contact}`,
        ),
      };
    }),
  );
