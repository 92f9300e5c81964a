import { exporting, exportRows } from '../file/export.ts';
import { run } from '../run.ts';
import { everyRetainedDomain } from './list.ts';
import { statusOption } from './status.ts';

export const exportNames = exporting(
  'Write reserved and blocked names to a file that retained import reads',
  'retained export names.csv --status reserved',
)
  .addOption(statusOption('only these'))
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
