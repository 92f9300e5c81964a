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

/** The innermost message. Drizzle's own contains the whole statement with its values. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // For a host with several addresses, the error has one error for each, and no message.
  const hasNone = error instanceof AggregateError && error.message === '';
  const inner = hasNone ? error.errors[0] : error.cause;
  return inner instanceof Error ? messageOf(inner) : error.message;
}
