import { importAuctions } from '../../auction/start.ts';
import { type DomainName, parseDomainName } from '../../domain/name.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { nameColumn, textField } from '../file/field.ts';
import { importing, type RowReader, readSettled, rejectedText } from '../file/import.ts';
import { inChunks } from '../progress.ts';
import { publishedText, publishLists } from '../publish.ts';
import { runPrepared } from '../run.ts';
import { counted } from '../text.ts';

const reader: RowReader<DomainName> = {
  columns: { name: nameColumn },
  read: (values) => parseDomainName(textField(values, 'name')),
  keys: ({ name }) => [name],
};

export const importNames = importing(
  'Put the names of a file up for auction, and publish the list; a name in auction already stays so',
  reader.columns,
  'auction import names.csv',
).action((file, options) =>
  runPrepared(
    options,
    () => readSettled(file, options, reader),
    async (registry, { read, rejectedFile }) => {
      const { db, origin, isDryRun } = registry;
      const names = read.rows.map(({ row }) => row);
      let started = 0;
      for (const chunk of inChunks('starting', names)) {
        started += await importAuctions(db, origin, chunk, isDryRun);
      }
      const published = await publishLists(registry, auctionLists);
      const unchanged = names.length - started;
      const rejected = read.rejected.length;
      return {
        data: {
          read: names.length + rejected,
          started,
          unchanged,
          rejected,
          rejected_file: rejectedFile ?? null,
          published,
          changed: started > 0 && !isDryRun,
        },
        text:
          `${isDryRun ? 'would start' : 'started'} ${counted(started, 'auction')}, ${unchanged} in progress already` +
          rejectedText(rejected, rejectedFile) +
          publishedText(published),
      };
    },
  ),
);
