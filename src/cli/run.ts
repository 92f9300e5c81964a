import {
  type Command,
  CommanderError,
  type CommandUnknownOpts,
  type OptionValues,
} from '@commander-js/extra-typings';
import { type Problem, RegistryError } from '../error.ts';
import type { ListName } from '../public-list/lists.ts';
import { currentTime } from '../time/clock.ts';
import { type CommonOptions, commandLine, registryOptions } from './command.ts';
import { openRegistry, type Registry } from './registry.ts';
import { OutputError, reportLostOutput, writeOutput } from './report/output.ts';
import { type FileProblem, problemLine } from './report/problem.ts';
import { standingReport, updateStanding } from './report/standing.ts';
import { counted } from './report/text.ts';

/** The answer of a command: `data` with --json, `text` without. */
export interface Report {
  data: Record<string, unknown>;
  text: string;
  /** The public lists that may have changed: they are published, and the report says which did change. */
  publish?: readonly ListName[];
}

/** The command with its work, which gets the registry that the options choose, the arguments and the options. */
export function verb<Args extends unknown[], Options extends OptionValues & CommonOptions>(
  command: Command<Args, Options>,
  work: (registry: Registry, ...given: [...Args, Options]) => Promise<Report | undefined>,
): CommandUnknownOpts {
  const running = command.action((...all) => {
    // The last one is the command itself.
    const given = all.slice(0, -1) as [...Args, Options];
    const options = given.at(-1) as Options;
    return run(
      options,
      async () => {},
      (registry) => work(registry, ...given),
    );
  });
  return running as unknown as CommandUnknownOpts;
}

/**
 * Prepares what needs no registry, so that a faulty file is refused before one is opened; then does a command's work on
 * the registry and prints its report. A refusal is printed with its reasons, on standard output with --json, and makes
 * the exit status 1; so does an unexpected failure, and an answer that could not be written. Such an end also says what
 * was done until then.
 */
export async function run<Prepared>(
  options: CommonOptions,
  prepare: () => Promise<Prepared>,
  work: (registry: Registry, prepared: Prepared) => Promise<Report | undefined>,
  needs?: { mayBeEmpty: boolean },
): Promise<void> {
  // Disposed of after the answer is printed.
  await using opened = new AsyncDisposableStack();
  await report(options, async () => {
    const prepared = await prepare();
    const registry = await openRegistry(options, opened, needs);
    if (options.dryRun === false) updateStanding({ isChanged: 'perhaps' });
    const done = await work(registry, prepared);
    return done && published(done, registry, options);
  });
}

/** Does work that opens no registry of its own accord, and ends as `run` says. */
export async function report(
  options: CommonOptions,
  work: () => Promise<Report | undefined>,
): Promise<void> {
  try {
    const done = await work();
    if (done) await print(done, options);
  } catch (error) {
    if (error instanceof CommanderError) throw error;
    process.exitCode = 1;
    await printProblems(error, options);
  } finally {
    updateStanding({ isChanged: 'no' });
  }
}

/** Publishes the report's lists and adds the outcome. If that fails, the change stands and the status is 1. */
async function published(
  report: Report,
  { db, env, isDryRun }: Registry,
  options: CommonOptions,
): Promise<Report> {
  const { data, text, publish: lists } = report;
  if (!lists) return report;
  if (isDryRun) return { text, data: { ...data, published: [] } };
  const args = ['lists', 'publish', ...registryOptions(options)];
  updateStanding({ isChanged: 'yes', lists, args });
  try {
    const { publish } = await import('../public-list/publish/publish.ts');
    const changed = await publish(db, env.LISTS, lists, currentTime);
    updateStanding({ lists: [] });
    return {
      data: { ...data, published: changed },
      text: changed.length === 0 ? text : `${text}; published: ${changed.join(', ')}`,
    };
  } catch (error) {
    process.exitCode = 1;
    const errors = [{ reason: 'unexpected', message: messageOf(error) }];
    const repeat = commandLine(args);
    return {
      data: { errors, ...data, published: [], not_published: lists, repeat },
      text: `${text}\ndone; not published yet: ${lists.join(', ')} (${messageOf(error)}); to publish: ${repeat}`,
    };
  }
}

/** Prints the report. One that cannot be written, of a change, is printed on standard error: it may hold a secret. */
async function print({ data, text }: Report, { json, dryRun }: CommonOptions): Promise<void> {
  const answer = json ? JSON.stringify(data) : text;
  if (answer === '') return;
  try {
    await writeOutput(`${answer}\n`);
  } catch (error) {
    if (dryRun === false) console.error(`done, but not answered:\n${answer}`);
    throw error;
  }
}

/** Beyond these, problems are only counted. */
const printedProblems = 20;

async function printProblems(error: unknown, options: CommonOptions): Promise<void> {
  if (error instanceof OutputError) {
    reportLostOutput(error);
    return;
  }
  const problems: readonly (Problem & Partial<FileProblem>)[] =
    error instanceof RegistryError
      ? error.problems
      : [{ reason: 'unexpected', message: messageOf(error) }];
  const standing = standingReport();
  // A refusal comes before the change, unless some of the rows are changed already.
  const rest = standing?.hasDone || problems[0]?.reason === 'unexpected' ? standing : undefined;
  if (options.json) {
    const answer = `${JSON.stringify({ errors: problems, ...rest?.data })}\n`;
    await writeOutput(answer).catch(() => process.stderr.write(answer));
    return;
  }
  // The same cause in many rows is printed once.
  const causes = [
    ...Map.groupBy(problems, ({ message, field }) => `${field}: ${message}`).values(),
  ];
  for (const [first, ...others] of causes.slice(0, printedProblems)) {
    const rows = others.length === 0 ? '' : ` (and in ${counted(others.length, 'more row')})`;
    const label = first!.reason === 'unexpected' ? 'failed' : 'refused';
    console.error(`${label}: ${problemLine(first!)}${rows}`);
  }
  const hidden = causes.length - printedProblems;
  if (hidden > 0) console.error(`refused: ${counted(hidden, 'more problem')}; --json shows all`);
  if (rest) console.error(rest.text);
}

/** The innermost message: Drizzle's own contains the whole statement with its values. */
function messageOf(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error)
    innermost = innermost.cause;
  return innermost instanceof Error ? innermost.message : String(innermost);
}
