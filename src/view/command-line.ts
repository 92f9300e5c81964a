export const programName = 'npm run registry --';

/** A command to paste into a shell: the words, quoted, and more options. Operands come before the options of the words. */
export function shellLine(
  program: string,
  words: readonly string[],
  options: readonly string[],
): string {
  const firstOption = words.findIndex((word) => /^--[a-z]/.test(word));
  const operands = firstOption < 0 ? words : words.slice(0, firstOption);
  const chosen = [...words.slice(operands.length), ...options];
  // An operand with a hyphen at its beginning would be read as an option.
  const start = operands.findIndex((word) => /^-./.test(word));
  const all =
    start < 0
      ? [...operands, ...chosen]
      : [...operands.slice(0, start), ...chosen, '--', ...operands.slice(start)];
  const quoted = all.map((word) =>
    /^(?!=)[\p{L}\p{N}_./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  return [program, ...quoted].join(' ');
}
