import { Help, Option } from '@commander-js/extra-typings';
import { parseCsvName, parsePath, writeCommand } from '../command.ts';
import type { Columns } from './format.ts';

export function importCommand(columns: Columns, ...examples: string[]) {
  return writeCommand('import', ...examples)
    .addHelpText('after', filesText(columns))
    .argument('<file>', fileNote, parseCsvName)
    .option('--skip-invalid', 'import the valid rows, and save the others with their reasons')
    .option('--rejected <file>', 'where to save them (default: FILE.rejected.csv)', parsePath);
}

export const fileNote = 'the file, or - for standard input';

export function filesText(columns: Columns): string {
  const help = Object.assign(new Help(), { helpWidth: 100 });
  const width = Math.max(...Object.keys(columns).map((name) => name.length));
  const list = (title: string, areRequired: boolean) => {
    const group = Object.entries(columns).filter(([, one]) => !one.isRequired !== areRequired);
    const lines = group.map(([name, { note }]) => help.formatItem(name, width, note, help));
    return help.formatItemList(title, lines, help).join('\n');
  };
  const text = `
The file is CSV in UTF-8 with a header line, which may be in capital letters. Commas, semicolons or tabs separate its fields,
and blanks around them do not count. An empty value counts as not given. Identifiers, versions and times
that an export has are skipped.
${list('\nRequired columns:', true)}
${list('Optional columns:', false)}`;
  return text.trimEnd();
}

/** Excludes --skip-invalid, since a skipped row would count as missing. */
export const replaceOption = (description: string) =>
  new Option('--replace', description).conflicts('skipInvalid');
