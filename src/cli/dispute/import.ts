import { parseDomainName } from '../../domain/name.ts';
import { findZoneProblems } from '../../domain/zone.ts';
import { zonesOf } from '../../env.ts';
import { listsShowing } from '../../public-list/lists.ts';
import {
  findDisputeProblems,
  importDisputes,
  type NewDispute,
} from '../../retained-domain/import-disputes.ts';
import { nameColumn, requiredText } from '../file/field.ts';
import { runRecordImport } from '../file/import-records.ts';
import { importing } from '../file/importing.ts';
import type { RowReader } from '../file/read-import.ts';
import { counted, did } from '../text.ts';

const reader: RowReader<NewDispute> = {
  columns: {
    name: nameColumn,
    from: { note: 'the first day, YYYY-MM-DD, in UTC', isRequired: true },
    until: { note: 'the last day', isRequired: true },
  },
  read: (values) => ({
    ...parseDomainName(requiredText(values, 'name')),
    firstDay: requiredText(values, 'from'),
    lastDay: requiredText(values, 'until'),
  }),
  keys: ({ name, firstDay }) => [`${name} from ${firstDay}`],
};

export const command = importing(reader.columns, 'dispute import disputes.csv').action(
  (file, options) =>
    runRecordImport(file, options, {
      reader,
      findProblems: async ({ db, env }, rows) => [
        ...findZoneProblems(rows, zonesOf(env)),
        ...(await findDisputeProblems(db, rows)),
      ],
      importRows: importDisputes,
      none: { opened: 0, unchanged: 0 },
      text: ({ opened, unchanged }, registry) =>
        `${did('open', registry)} ${counted(opened, 'dispute')}, ${unchanged} already there`,
      publish: listsShowing(['disputed']),
    }),
);
