import { exporting, exportRows } from '../file/export.ts';
import { run } from '../run.ts';
import { everyRetainedDomain } from './every.ts';
import { statusOption } from './status.ts';

export const command = exporting('retained export names.csv --status reserved')
  .addOption(statusOption('only names with this status'))
  .action((file, options) =>
    run(options, async ({ db }) => {
      async function* rows() {
        for await (const { name, status } of everyRetainedDomain(db, options.status)) {
          yield { name, status };
        }
      }
      return exportRows(file, options, rows(), ['name', 'status']);
    }),
  );
