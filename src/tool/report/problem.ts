import { type Problem, RegistryError } from '../../base/error.ts';

export interface FileProblem extends Problem {
  file: string;
  /** The row's first line, counted from 1. */
  line: number;
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
