import { Option } from '@commander-js/extra-typings';
import { claims, type VerificationDemand } from '../../../../drizzle/schema.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { currentTime } from '../../../base/time/clock.ts';
import {
  demandVerification,
  findDemandProblems,
  readDemand,
} from '../../../contact/verification/operator/demand.ts';
import { reportOfChange } from '../../../view/changes.ts';
import { contactsView } from '../../../view/contact.ts';
import { countText } from '../../../view/text.ts';
import { parseCsvName, parseList, splitList, usageError, writeCommand } from '../../command.ts';
import { requiredText, wordsNote } from '../../files/field.ts';
import type { Values } from '../../files/format.ts';
import { type Import, runImport, writeInChunks } from '../../files/import.ts';
import { fileNote, filesText } from '../../files/importing.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { type Report, run } from '../../run.ts';

const columns = {
  code: { note: 'code of the contact, for example ALPHA:1B7A3C5D', isRequired: true },
  claims: { note: `of ${claims.join(', ')}, ${wordsNote}; otherwise those of --claims` },
  by: { note: 'the last day, for example 2027-01-31; otherwise the one of --by' },
};

interface Given {
  claims?: string[];
  by?: string;
  withdraw?: true;
}

interface DemandRow {
  code: string;
  demand: VerificationDemand | null;
}

function readRow(values: Values, { withdraw, ...given }: Given): DemandRow {
  const code = asciiUpperCase(requiredText(values, 'code'));
  if (withdraw) return { code, demand: null };
  const asked = {
    claims: values.claims ? splitList(values.claims) : given.claims,
    by: values.by || given.by,
  };
  return { code, demand: readDemand(asked, currentTime()) };
}

function demandImport(given: Given) {
  return {
    columns,
    listed: Object.keys(contactsView.columns),
    read: (values) => readRow(values, given),
    key: ({ code }) => code,
    findProblems: ({ db }, rows) => findDemandProblems(db, rows),
    isWhole: true,
    async write(registry, rows) {
      const none = { changed_contacts: 0, unchanged: 0 };
      const each = { label: 'demanding', rows, size: 1 };
      return writeInChunks(registry, each, none, async ([row]) => {
        const { changes } = await demandVerification(registry, row!.code, row!.demand);
        const isChange = Object.keys(changes).length > 0;
        return { changed_contacts: Number(isChange), unchanged: Number(!isChange) };
      });
    },
    text: ({ changed_contacts: changed, unchanged }, { did }) =>
      `${did('change')} the demands on ${countText(changed, 'contact')}; ${unchanged} unchanged`,
  } satisfies Import<DemandRow, 'changed_contacts'>;
}

async function demandOne(registry: Registry, text: string, given: Given): Promise<Report> {
  const { code, demand } = readRow({ code: text }, given);
  const { changes, verified } = await demandVerification(registry, code, demand);
  const report = reportOfChange(registry, `contact ${code}`, changes);
  const note = verified.length > 0 ? `; verified already: ${verified.join(', ')}` : '';
  return { data: { code, verified, ...report.data }, text: `${report.text}${note}` };
}

export const demand = writeCommand(
  'demand',
  'contact demand ALPHA:1B7A3C5D --claims identity,email --by 2027-01-31',
  'contact demand --file unverified.csv --claims identity --by 2027-01-31',
)
  .description('Ask the registrar to verify a contact by a day, or the contacts of a file')
  .argument('[code]', 'the contact', parseContactKey)
  .option('--claims <list>', `what to verify, of ${claims.join(', ')}`, parseList)
  .option('--by <day>', 'the last day')
  .addOption(new Option('--withdraw', 'take it back').conflicts(['claims', 'by']))
  .option('--file <file>', fileNote, parseCsvName)
  .addHelpText(
    'after',
    `
The registrar gets a notification. A demand replaces the one before, and is open until everything in it is verified.
${filesText(columns)}`,
  )
  .hook('preAction', (command) => {
    const isOne = command.args.length === 1;
    const { file, withdraw, claims, by } = command.opts();
    if (isOne === (file !== undefined)) throw usageError('give either a contact or --file');
    if (isOne && !withdraw && !(claims && by)) {
      throw usageError('give --claims and --by, or --withdraw');
    }
  })
  .action((code, options) => {
    const { file } = options;
    return file === undefined
      ? run(options, (registry) => demandOne(registry, code!, options))
      : runImport(file, options, demandImport(options));
  });
