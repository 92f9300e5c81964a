import { type Problem, RegistryError } from '../../base/error.ts';
import { countText } from '../../view/text.ts';

export interface FileProblem extends Problem {
  file: string;
  /** The row's first line, counted from 1. */
  line: number;
}

/** The rows of a file that an import refuses, so that it writes none. */
export class RejectedRowsError extends RegistryError {
  /** Undefined if there is no other row to write. */
  readonly advice: string | undefined;

  constructor(problems: readonly [FileProblem, ...FileProblem[]], others: number) {
    super(problems);
    if (others === 0) return;
    const rest = countText(others, 'other row is', 'other rows are');
    this.advice = `nothing was written; ${rest} valid: with --skip-invalid, the command writes what is valid`;
  }
}

export function displayName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

export function unreadableFile(file: string, line: number, message: string): RegistryError {
  const problem: FileProblem = { reason: 'malformed', message, file: displayName(file), line };
  return new RegistryError([problem]);
}

/** The line `names.csv:3: "Ää.ee" contains capital letters [name]`, with the parts that the problem has. */
export function problemLine(problem: Problem & Partial<FileProblem>): string {
  const { file, line, message, field, detail } = problem;
  const position = file === undefined ? '' : `${file}:${line}: `;
  const sentence = detail === undefined ? '' : `. ${detail}`;
  return `${position}${message}${field === undefined ? '' : ` [${field}]`}${sentence}`;
}
