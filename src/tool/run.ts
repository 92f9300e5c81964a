import {
  type Command,
  CommanderError,
  type CommandUnknownOpts,
  type OptionValues,
} from '@commander-js/extra-typings';
import { type Problem, RegistryError } from '../base/error.ts';
import { typed } from '../base/text/typed.ts';
import { currentTime } from '../base/time/clock.ts';
import { type ListName, listNames } from '../list/lists.ts';
import { findRevertible } from '../undo/problems.ts';
import { messageOf } from '../view/message.ts';
import { countText, type Lines, linesOf, printable } from '../view/text.ts';
import { showTimesIn } from '../view/words.ts';
import { type CommonOptions, longNames, parseCsvName, parsePath, withCommand } from './command.ts';
import { explainFailure } from './local/file.ts';
import { localDirectory } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { UnansweredError } from './report/confirm.ts';
import { atInterrupt } from './report/interrupt.ts';
import {
  checkOutputIsRead,
  OutputError,
  reportLostOutput,
  say,
  writeOutput,
} from './report/output.ts';
import { type FileProblem, problemLine, RejectedRowsError } from './report/problem.ts';
import { explainInterruption, progressOf, UnfinishedError, uncertainError } from './unfinished.ts';

/** `data` is for --json, `csv` for --csv, and `text` for people. */
export interface Report {
  /** Commands that change something whenever they succeed may omit `changed`. */
  data: Record<string, unknown>;
  text: Lines;
  csv?: string | undefined;
  /** A secret in the output that is never shown again. */
  secret?: string | undefined;
  /** The public lists that may have changed. They are published, and the report names changed ones. */
  publish?: readonly ListName[];
  /** The words of the command that undoes the change, if not `history revert`. */
  undo?: readonly string[];
}

export function verb<Args extends unknown[], Options extends OptionValues & CommonOptions>(
  command: Command<Args, Options>,
  work: (registry: Registry, ...given: [...Args, Options]) => Promise<Report | undefined>,
): CommandUnknownOpts {
  if (!longNames(command).includes('--dry-run')) readAsPasted(command);
  const running = command.action((...all) => {
    // The last one is the command itself.
    const given = all.slice(0, -1) as [...Args, Options];
    return run(given.at(-1) as Options, (registry) => work(registry, ...given));
  });
  return running as unknown as CommandUnknownOpts;
}

/** A look-up has what was meant. Never in a path. */
function readAsPasted({ registeredArguments, options }: CommandUnknownOpts): void {
  const withValues = options.filter(({ required, optional }) => required || optional);
  for (const one of [...registeredArguments, ...withValues]) {
    const { parseArg: parse = (text: string) => text } = one;
    if ([parsePath, parseCsvName].some((path) => path === parse)) continue;
    const read = (text: string, before: never) => parse.call(one, typed(text), before);
    one.parseArg = read as typeof one.parseArg;
  }
}

export async function run(
  options: CommonOptions,
  work: (registry: Registry) => Promise<Report | undefined>,
  needs?: { mayBeEmpty: boolean },
): Promise<void> {
  // Disposed of after the answer is printed.
  await using opened = new AsyncDisposableStack();
  const explained = (error: unknown) => {
    const { persistTo, env, remote } = options;
    return remote ? error : explainFailure(error, localDirectory(persistTo), env);
  };
  const explain = (error: unknown): never => {
    throw error instanceof UnfinishedError ? error : explained(error);
  };
  const answer = async () => {
    const registry: Registry = await openRegistry(options, opened, needs);
    showTimesIn(registry.env);
    const isWriting = options.dryRun !== undefined;
    using _ = atInterrupt(() => registry.batches && explainInterruption(registry));
    const worked = await work(registry).catch(async (error) => {
      if (!isWriting || registry.isDryRun) throw error;
      const progress = await progressOf(registry, error);
      throw progress ? new UnfinishedError(explained(error), progress) : uncertainError(error);
    });
    if (!worked) return undefined;
    const { changed = true } = worked.data;
    const done = isWriting
      ? { ...worked, data: { ...worked.data, changed: changed && !registry.isDryRun } }
      : worked;
    const request = await requestOf(done, registry, options);
    const { data, ...answer } = await published(done, registry);
    return { ...answer, data: { ...data, ...request?.data }, note: request?.note };
  };
  await report(options, () => answer().catch(explain));
}

async function requestOf(
  { data, undo }: Report,
  { db, origin, commandLine }: Registry,
  options: CommonOptions,
) {
  if (options.dryRun !== false || data.changed !== true) return undefined;
  const { requestId: request } = origin.request;
  // The change is made even if this read fails.
  const isRevertible = await findRevertible(db, request).catch(() => undefined);
  if (isRevertible === undefined) return undefined;
  const words = undo ?? (isRevertible ? ['history', 'revert', request] : undefined);
  const back = words && `; take back: ${commandLine(words)}`;
  return { data: { request_id: request }, note: `request ${request}${back ?? ''}` };
}

/** Ends as `run` does. */
export async function report(
  options: CommonOptions,
  work: () => Promise<(Report & { note?: string | undefined }) | undefined>,
): Promise<void> {
  await attempt(options, async () => {
    const done = await work();
    if (!done) return;
    await print(done, options);
    if (done.note && !options.json) say(done.note);
  });
}

/**
 * After a refusal, prints the reasons (with --json on standard output), and returns undefined. Refusals, failures and
 * unwritable output set exit status 1.
 */
export async function attempt<Result>(
  options: CommonOptions,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommanderError) throw error;
    process.exitCode = 1;
    await printProblems(error, options);
    return undefined;
  }
}

/** After a change of a list, publishes all lists that are behind, and adds the outcome. A failure keeps the change and sets exit status 1. */
async function published(
  report: Report,
  { db, env, isDryRun, commandLine }: Registry,
): Promise<Report> {
  const { data, text, publish: lists } = report;
  if (!lists?.length) return report;
  if (isDryRun) return { text, data: { ...data, published: [] } };
  const done = linesOf(text);
  try {
    const { publish } = await import('../list/publish/publish.ts');
    // All lists, at no extra cost: an earlier command may have been killed before it published.
    const changed = await publish({ db, kv: env.LISTS, clock: currentTime }, listNames);
    return {
      data: { ...data, published: changed },
      text:
        changed.length === 0
          ? text
          : [...done.slice(0, -1), `${done.at(-1)}; published: ${changed.join(', ')}`],
    };
  } catch (error) {
    process.exitCode = 1;
    const message = messageOf(error);
    const errors = [{ reason: 'unexpected', message }];
    const repeat = commandLine(['lists', 'publish']);
    return {
      data: { errors, ...data, published: [], not_published: lists, repeat },
      text: [
        ...done,
        `done; not published yet: ${lists.join(', ')} (${message}); to publish: ${repeat}`,
      ],
    };
  }
}

/** Prints the report. If that fails, prints the report of a change on standard error: it may contain a new secret. */
async function print(
  { data, csv, text, secret }: Report,
  { json, dryRun }: CommonOptions,
): Promise<void> {
  const answer = json ? JSON.stringify(data) : (csv ?? printable(text));
  if (answer === '') return;
  try {
    await writeOutput(`${answer}\n`);
    if (secret !== undefined) checkOutputIsRead();
  } catch (error) {
    if (dryRun === false) process.stderr.write(`done, but could not print:\n${answer}\n`);
    throw error;
  }
}

const printedProblems = 20;
const printedLines = 10;

/** Where else the same problem is. */
function othersText(
  { message }: Problem,
  others: readonly (Problem & Partial<FileProblem>)[],
): string {
  const lines = [...new Set(others.flatMap(({ line }) => line ?? []))];
  if (lines.length === 0) return '';
  const hidden = lines.length - printedLines;
  const shown = lines.slice(0, printedLines).join(', ');
  const rest = hidden > 0 ? ` and ${countText(hidden, 'other')}` : '';
  const differs = others.some((other) => other.message !== message) ? ', with other values' : '';
  return ` (also line ${shown}${rest}${differs})`;
}

async function printProblems(error: unknown, options: CommonOptions): Promise<void> {
  if (error instanceof OutputError) {
    reportLostOutput(error);
    return;
  }
  const isUnfinished = error instanceof UnfinishedError;
  const cause = isUnfinished ? error.cause : error;
  const problems: readonly (Problem & Partial<FileProblem>)[] =
    cause instanceof RegistryError
      ? cause.problems.map(({ sentence: _, ...problem }) => withCommand(problem, options))
      : [{ reason: 'unexpected', message: messageOf(cause) }];
  if (options.json) {
    const data = isUnfinished ? error.progress.data : {};
    const answer = `${JSON.stringify({ errors: problems, ...data })}\n`;
    await writeOutput(answer).catch(() => process.stderr.write(answer));
    return;
  }
  if (error instanceof UnansweredError) {
    const [first, ...others] = error.lines;
    return say([`refused: ${first}`, ...others]);
  }
  // Prints a problem that many rows share once, also with other values in quotation marks.
  const causeOf = ({ message, field, line }: (typeof problems)[number]) =>
    `${field}: ${line === undefined ? message : message.replace(/"(?:[^"\\]|\\.)*"/g, '""')}`;
  const causes = [...Map.groupBy(problems, causeOf).values()];
  for (const [first, ...others] of causes.slice(0, printedProblems)) {
    const label = first!.reason === 'unexpected' ? 'failed' : 'refused';
    say(`${label}: ${problemLine(first!)}${othersText(first!, others)}`);
  }
  const hidden = causes.length - printedProblems;
  if (hidden > 0) say(`refused: ${countText(hidden, 'more problem')}; --json shows all`);
  if (cause instanceof RejectedRowsError && cause.advice) say(cause.advice);
  if (isUnfinished) say(error.progress.lines);
}
