/** The words of a command that a page or a help shows, without those that call the tool. */
export function wordsOf(command: string): string[] {
  const words = command.replace(/^npm run registry -- /, '').match(/("[^"]*"|'[^']*'|[^\s"'])+/g);
  return (words ?? []).map((word) => word.replaceAll(/["']/g, ''));
}
