import { type Problem, RegistryError } from '../../error.ts';

/** What is wrong in a file, and where. */
export interface FileProblem extends Problem {
  file: string;
  /** Counted from 1; of the last line of a CSV row that takes several. */
  line: number;
}

/** Standard input as it is called in messages. */
export function displayName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** A file, or the part of it that can't be told apart, is refused as a whole. */
export function refuseFile(file: string, line: number, message: string): RegistryError {
  const problem: FileProblem = { reason: 'malformed', message, file: displayName(file), line };
  return new RegistryError([problem]);
}

/** `names.csv:3: "Ää.ee" contains capital letters [name]`, or without a place where the problem has none. */
export function problemLine(problem: Problem & Partial<FileProblem>): string {
  const { file, line, message, field } = problem;
  const place = file === undefined ? '' : `${file}:${line}: `;
  return `${place}${message}${field === undefined ? '' : ` [${field}]`}`;
}
