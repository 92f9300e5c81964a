import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings';
import { textField } from '../base/text/field.ts';
import { programName, shellLine } from '../view/command-line.ts';

export { programName };

/** The words of the running command. */
export const typedWords = new AsyncLocalStorage<readonly string[]>();

/** A command to paste into a shell, with the options that choose the same registry. */
export const commandLine = (
  words: readonly string[],
  options: Pick<CommonOptions, 'persistTo' | 'remote' | 'env'> = {},
  program = programName,
): string => shellLine(program, words, registryOptions(options));

/** Without its command, which the message then has. */
export function withCommand<
  Advised extends {
    message: string;
    command?: readonly string[] | undefined;
    otherwise?: readonly string[] | undefined;
  },
>(
  { command, otherwise, ...advised }: Advised,
  options: CommonOptions,
): Omit<Advised, 'command' | 'otherwise'> {
  if (!command) return advised;
  const [, sentence, end] = /^(.*?)(\.?)$/s.exec(advised.message)!;
  const commands = [command, ...(otherwise ? [otherwise] : [])];
  const lines = commands.map((words) => commandLine(words, options)).join(', or ');
  return { ...advised, message: `${sentence} (${lines})${end}` };
}

/** Commands about one thing, with the first example of the first verb. Without a verb, the unnamed one runs. */
export function noun(
  name: string,
  description: string,
  verbs: readonly CommandUnknownOpts[],
  unnamed?: CommandUnknownOpts,
): CommandUnknownOpts {
  const command = bare(name, firstExample.get(unnamed ?? verbs[0]!)!)
    .description(description)
    .configureHelp({
      subcommandTerm: (verb) => verb.name(),
      // Also for the completion.
      ...(unnamed && { visibleOptions: () => unnamed.createHelp().visibleOptions(unnamed) }),
    });
  if (unnamed) command.addCommand(unnamed, { isDefault: true });
  for (const argument of unnamed?.registeredArguments ?? []) command.addArgument(argument);
  for (const verb of verbs) command.addCommand(verb);
  return command as unknown as CommandUnknownOpts;
}

const firstExample = new WeakMap<object, string>();

export function readCommand(name: string, ...examples: string[]) {
  return bare(name, ...examples)
    .addOption(
      new Option('--persist-to <dir>', 'the local database')
        .argParser(parsePath)
        .conflicts('remote'),
    )
    .option('--remote', 'work on the deployed database')
    .option('--env <name>', 'the environment in wrangler.toml (with --remote: production)')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'answer in JSON')
    .hook('preAction', requireTexts);
}

export function writeCommand(name: string, ...examples: string[]) {
  return (
    readCommand(name, ...examples)
      .option('--dry-run', 'show what would change, and change nothing')
      // The refusal names it; see clock.ts.
      .addOption(new Option('--clock-is-right').hideHelp())
      // The help would show a default of the option.
      .setOptionValueWithSource('dryRun', false, 'default')
  );
}

export function bare(name: string, ...examples: string[]) {
  const lines = examples.map((example) => `  ${programName} ${example}`);
  const command = new Command(name)
    // Otherwise Commander ends the process itself, with status 1 for wrong usage.
    .exitOverride()
    .addHelpText('after', `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`);
  firstExample.set(command, examples[0]!);
  return command;
}

/** `dryRun` is undefined for a command that only reads. */
export type CommonOptions = ReturnType<ReturnType<typeof readCommand>['opts']> & {
  dryRun?: boolean;
  clockIsRight?: true | undefined;
};

/** The options that choose the same registry, from any directory. */
function registryOptions({
  persistTo,
  remote,
  env,
}: Pick<CommonOptions, 'persistTo' | 'remote' | 'env'>): string[] {
  return [
    ...(persistTo === undefined ? [] : ['--persist-to', path.resolve(persistTo)]),
    ...(remote ? ['--remote'] : []),
    ...(env === undefined ? [] : ['--env', env]),
  ];
}

export class UsageError extends CommanderError {
  /** The words of a command that helps. */
  readonly command: readonly string[] | undefined;

  constructor(message: string, command?: readonly string[]) {
    super(2, 'registry.usage', message);
    this.command = command;
  }
}

export function usageError(message: string, command?: readonly string[]): UsageError {
  return new UsageError(message, command);
}

export function requireOneOf(...flags: string[]) {
  return (command: CommandUnknownOpts): void => {
    const asked = command.options.filter(({ long }) => flags.includes(long!));
    const given = command.opts();
    if (asked.some((option) => given[option.attributeName()] !== undefined)) return;
    throw usageError(`give ${flags.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`);
  };
}

/**
 * The values of a list in an option, an argument or a cell of a file. Commas and blanks separate them, and JSON, as
 * --csv writes it, will do.
 */
export function splitList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(/[\s,"[\]]+/).filter((value) => value !== '')];
}

/** For an argument or option that must name something. */
export function parseList(text: string, before?: readonly string[]): string[] {
  const values = splitList(text, before);
  if (values.length > (before?.length ?? 0)) return values;
  throw new InvalidArgumentError('It names nothing.');
}

/** Refuses a blank argument, and in a command that reads a blank option: a search for nothing would seem to find nothing. */
function requireTexts(command: CommandUnknownOpts): void {
  const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const { args, options, registeredArguments: all } = command;
  const empty = args.findIndex(isBlank);
  if (empty !== -1) throw usageError(`<${(all[empty] ?? all.at(-1)!).name()}> is empty`);
  const given = command.opts();
  const option = options.find((one) => isBlank(given[one.attributeName()]));
  if (option && given.dryRun === undefined) throw usageError(`${option.long} is empty`);
}

/** Accepts an option's former spelling, without naming it in help and completion. */
export function formerOption(flags: string, attribute: string): Option {
  return Object.assign(new Option(flags).hideHelp(), { attributeName: () => attribute });
}

/** For commands that neither read standard input nor write their content to standard output. */
export function parsePath(name: string): string {
  if (name !== '' && name !== '-') return name;
  throw new InvalidArgumentError('It must name a file or a directory.');
}

/** Of a file, or - for a standard stream. */
export function parseCsvName(file: string): string {
  if (file === '') throw new InvalidArgumentError('The name is empty.');
  if (/\.(jsonl?|ndjson|xlsx?|ods)$/i.test(file))
    throw new InvalidArgumentError('The file must be CSV.');
  return file;
}

export const longNames = ({ options }: { options: readonly Option[] }): string[] =>
  options.flatMap(({ long }) => long ?? []);

export function parseNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number.');
}

export function reasonOption() {
  return new Option('--reason <text>', 'why; the history keeps it')
    .argParser((text) => {
      const { data, error } = reasonRule.safeParse(text);
      if (error) throw new InvalidArgumentError(error.issues[0]!.message);
      return data;
    })
    .makeOptionMandatory();
}

const reasonRule = textField('It must be a text of 1 to 255 characters on one line', 255);
