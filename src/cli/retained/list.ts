import type { Database } from '../../database/open.ts';
import {
  listRetainedDomains,
  type RetainedDomain,
  type RetainedStatus,
} from '../../retained-domain/list.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';
import { statusOption } from './status.ts';

export const list = reading(
  'list',
  'List reserved and blocked names',
  'retained list --status blocked',
)
  .addOption(statusOption('only these'))
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

/** By name and status. */
export function everyRetainedDomain(
  db: Database,
  status: RetainedStatus | undefined,
): AsyncGenerator<RetainedDomain> {
  return everyPage<RetainedDomain, RetainedDomain>(
    (page) => listRetainedDomains(db, { status, page }),
    (last) => last,
  );
}
