import { CommanderError } from '@commander-js/extra-typings';
import { type Problem, RegistryError } from '../error.ts';
import type { CommonOptions } from './command.ts';
import { type FileProblem, problemLine } from './file/problem.ts';
import { openRegistry, type Registry } from './registry.ts';

/** What a command answers: `data` with --json, `text` without. */
export interface Report {
  data: unknown;
  text: string;
}

/**
 * Does a command's work on the registry that the options choose, and prints its report. A refusal is printed
 * with its reasons, on standard output with --json, and makes the exit status 1; so does what is unexpected.
 */
export async function run(
  options: CommonOptions,
  work: (registry: Registry) => Promise<Report | undefined>,
): Promise<void> {
  await runPrepared(options, async () => {}, work);
}

/** As `run`, but first prepares what needs no registry: a file that is wrong is refused before one is opened. */
export async function runPrepared<Prepared>(
  options: CommonOptions,
  prepare: () => Promise<Prepared>,
  work: (registry: Registry, prepared: Prepared) => Promise<Report | undefined>,
): Promise<void> {
  try {
    const prepared = await prepare();
    await using registry = await openRegistry(options);
    const report = await work(registry, prepared);
    if (!report) return;
    if (options.json) console.log(JSON.stringify(report.data));
    else if (report.text !== '') console.log(report.text);
  } catch (error) {
    if (error instanceof CommanderError) throw error;
    process.exitCode = 1;
    refuse(error, options);
  }
}

/** Beyond these, the rest of a file's problems is only counted. */
const shownProblems = 20;

function refuse(error: unknown, options: CommonOptions): void {
  const problems: readonly (Problem & Partial<FileProblem>)[] =
    error instanceof RegistryError
      ? error.problems
      : [{ reason: 'unexpected', message: messageOf(error) }];
  if (options.json) {
    console.log(JSON.stringify({ errors: problems }));
    return;
  }
  for (const problem of problems.slice(0, shownProblems)) {
    console.error(`refused: ${problemLine(problem)}`);
  }
  const others = problems.length - shownProblems;
  if (others > 0) console.error(`refused: ${others} more; --json tells all`);
}

/** The innermost message: Drizzle's own tells the whole statement with its values. */
function messageOf(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error)
    innermost = innermost.cause;
  return innermost instanceof Error ? innermost.message : String(innermost);
}
