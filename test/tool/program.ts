import type { CommandUnknownOpts } from '@commander-js/extra-typings';

type Named = [words: string, command: CommandUnknownOpts];

/** Each command below this one, with the words that call it. */
export function everyCommand(parent: CommandUnknownOpts, words: string[] = []): Named[] {
  return parent.commands.flatMap((child): Named[] => {
    const all = [...words, child.name()];
    return [[all.join(' '), child], ...everyCommand(child, all)];
  });
}

export const isVerb = ([, { commands }]: Named) => commands.length === 0;

export function helpOf(command: CommandUnknownOpts): string {
  let text = '';
  command.configureOutput({ writeOut: (written) => (text += written) }).outputHelp();
  return text;
}

/** The words of a command that a page or a help shows, without those that call the tool. */
export function wordsOf(command: string): string[] {
  const words = command.replace(/^npm run registry -- /, '').match(/("[^"]*"|'[^']*'|[^\s"'])+/g);
  return (words ?? []).map((word) => word.replaceAll(/["']/g, ''));
}
