import { findAuctionObstacles } from '../../auction/obstacles.ts';
import { importAuctions } from '../../auction/start.ts';
import { type DomainName, parseDomainName } from '../../domain/name.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { nameColumn, requiredText } from '../file/field.ts';
import { importing } from '../file/importing.ts';
import { settleNames } from '../file/names-import.ts';
import { type RowReader, readImport } from '../file/read-import.ts';
import { rejectedText } from '../file/rejected.ts';
import { inChunks } from '../progress.ts';
import { runPrepared } from '../run.ts';
import { counted, did } from '../text.ts';

const reader: RowReader<DomainName> = {
  columns: { name: nameColumn },
  read: (values) => parseDomainName(requiredText(values, 'name')),
  keys: ({ name }) => [name],
};

export const command = importing(reader.columns, 'auction import names.csv')
  .option('--even-if-retained', 'start auctions of reserved and disputed names as well')
  .action((file, options) =>
    runPrepared(
      options,
      () => readImport(file, options, reader),
      async (registry, read) => {
        const { db, origin, isDryRun } = registry;
        const isEvenIfRetained = options.evenIfRetained ?? false;
        const { names, rejectedFile } = await settleNames(registry, read, options, (rows) =>
          findAuctionObstacles(db, origin, rows, { isEvenIfRetained }),
        );
        let started = 0;
        for (const chunk of inChunks('starting', names)) {
          started += await importAuctions(db, origin, chunk, { isDryRun });
        }
        const unchanged = names.length - started;
        const rejected = read.rejected.length;
        return {
          data: {
            read: names.length + rejected,
            started,
            unchanged,
            rejected,
            rejected_file: rejectedFile ?? null,
            changed: started > 0 && !isDryRun,
          },
          text:
            `${did('start', registry)} ${counted(started, 'auction')}, ${unchanged} already in progress` +
            rejectedText(rejected, rejectedFile),
          publish: auctionLists,
        };
      },
    ),
  );
