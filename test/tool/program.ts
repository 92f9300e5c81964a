import type { CommandUnknownOpts } from '@commander-js/extra-typings';

type Named = [words: string, command: CommandUnknownOpts];

/** Each command below this one, with the words that call it. */
export function everyCommand(parent: CommandUnknownOpts, words: string[] = []): Named[] {
  return parent.commands.flatMap((child): Named[] => {
    const all = [...words, child.name()];
    return [[all.join(' '), child], ...everyCommand(child, all)];
  });
}

/** A command that works on a registry or its files; `completion` prints a script for a shell. */
export const isVerb = ([words, { commands }]: Named) =>
  commands.length === 0 && words !== 'completion';

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
