import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  type OutputConfiguration,
} from '@commander-js/extra-typings';
import { type OpenBindings, opening } from './bindings.ts';
import { commandLine, programName, typedWords, type UsageError, withCommand } from './command.ts';
import { projectVersion } from './project.ts';
import { printAnswer, say } from './report/output.ts';

const commands: Readonly<Record<string, () => Promise<CommandUnknownOpts>>> = {
  registrar: async () => (await import('./nouns/registrar.ts')).registrarCommand,
  'api-user': async () => (await import('./nouns/api-user.ts')).apiUserCommand,
  system: async () => (await import('./nouns/system.ts')).systemCommand,
  certificate: async () => (await import('./nouns/certificate.ts')).certificateCommand,
  contact: async () => (await import('./nouns/contact/index.ts')).contactCommand,
  disclosure: async () => (await import('./nouns/disclosure.ts')).disclosureCommand,
  domain: async () => (await import('./nouns/domain/index.ts')).domainCommand,
  retained: async () => (await import('./nouns/retained/index.ts')).retainedCommand,
  dispute: async () => (await import('./nouns/dispute.ts')).disputeCommand,
  auction: async () => (await import('./nouns/auction.ts')).auctionCommand,
  lists: async () => (await import('./nouns/lists.ts')).listsCommand,
  desk: async () => (await import('./desk/index.ts')).deskCommand,
  name: async () => (await import('./nouns/name.ts')).nameCommand,
  health: async () => (await import('./nouns/health.ts')).healthCommand,
  history: async () => (await import('./nouns/history/index.ts')).historyCommand,
  'move-in': async () => (await import('./move-in/move-in.ts')).moveInCommand,
  reconcile: async () => (await import('./move-in/reconcile.ts')).reconcileCommand,
  backup: async () => (await import('./nouns/backup/backup.ts')).backupCommand,
  restore: async () => (await import('./nouns/backup/restore.ts')).restoreCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
};

export async function loadProgram(names = Object.keys(commands)): Promise<CommandUnknownOpts> {
  const program = new Command(programName)
    .description("The operator's tool: everything a registry's operator does, without SQL")
    .usage('<noun> <verb> [options]')
    .version(projectVersion(), '--version')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .addHelpText(
      'after',
      `\nEach noun and verb has its own --help.\n\nExample:\n  ${programName} registrar add --code ALPHA --name Alpha`,
    );
  for (const name of names) program.addCommand(await commands[name]!());
  return program as unknown as CommandUnknownOpts;
}

/**
 * Runs a command line and sets the exit status: 0 done, 1 refused or failed (with the reason printed), 2 wrong usage.
 */
export async function runProgram(args: readonly string[], open?: OpenBindings): Promise<void> {
  if (args[0] === 'complete') return await complete(args.slice(2));
  const [first, second] = args.filter((word) => !word.startsWith('-'));
  const named = first === 'help' ? second : first;
  const isKnown = named !== undefined && Object.hasOwn(commands, named);
  const isUnknown = first !== undefined && first !== 'help' && !isKnown;
  const program = await loadProgram(isKnown ? [named] : undefined);
  let printed = '';
  let help = '';
  configureOutput(program, {
    writeOut: (text) => (help += text),
    writeErr: (text) => (printed += text),
  });
  try {
    const parse = () =>
      // Commander would answer --help with the general help.
      program.parseAsync(isUnknown ? [first] : args, { from: 'user' });
    await opening.run(open, () => typedWords.run(args, parse));
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return await printAnswer(help);
    process.exitCode = 2;
    const named = findCommands(program, args);
    const { message, command } = error as UsageError;
    const suggest = (text: string) => withSynonym(text, named.at(-1)?.commands ?? []);
    const stated = withCommand({ message, command }, named.at(-1)?.opts() ?? {}).message;
    if (args.includes('--json')) {
      const errors = [
        {
          reason: 'usage',
          message: suggest(stated)
            .replace(/^error: /, '')
            .trim(),
        },
      ];
      await printAnswer(`${JSON.stringify({ errors })}\n`);
    } else {
      say(
        suggest(printed || `error: ${stated}`)
          .trimEnd()
          .split('\n'),
      );
      const words = named.map((command) => command.name());
      process.stderr.write(`(see ${commandLine([...words, '--help'])})\n`);
    }
  }
}

/** Opens nothing, and loads all nouns only to complete a noun. */
async function complete(words: readonly string[]): Promise<void> {
  const nouns = Object.keys(commands).filter((noun) => noun !== 'completion');
  const named = nouns.filter((noun) => words.length > 1 && noun === words[0]);
  const program = await loadProgram(named.length > 0 ? named : nouns);
  await (await import('./completion.ts')).printCompletions(program, words);
}

/** Words for the same: first those that are verbs here. */
const synonyms = [
  ['add', 'open', 'start', 'import', 'create', 'new', 'insert'],
  ['remove', 'delete', 'close', 'cancel', 'drop', 'rm', 'end', 'stop'],
  ['update', 'change', 'edit', 'modify', 'set', 'correct'],
  ['show', 'get', 'view', 'info', 'display'],
  ['list', 'ls', 'find', 'search'],
  ['resume', 'enable', 'unsuspend', 'unlock', 'activate'],
  ['suspend', 'disable', 'lock', 'block', 'deactivate'],
];

/** Commander suggests the verb with similar letters, which may mean something else. */
function withSynonym(text: string, verbs: readonly CommandUnknownOpts[]): string {
  const [, word = ''] = /unknown command '(.*)'/.exec(text) ?? [];
  const names = verbs.map((verb) => verb.name());
  const synonym = synonyms.find((all) => all.includes(word))?.find((one) => names.includes(one));
  if (synonym === undefined) return text;
  return `${text.replace(/\n\(Did you mean .*\)/, '').trimEnd()}\n(Did you mean ${synonym}?)`;
}

/** The noun and the verb. */
function findCommands(
  { commands }: CommandUnknownOpts,
  [name, ...others]: readonly string[],
): CommandUnknownOpts[] {
  const match = commands.find((command) => command.name() === name);
  return match ? [match, ...findCommands(match, others)] : [];
}

/** Collects Commander's output until its form is known. */
function configureOutput(command: CommandUnknownOpts, output: OutputConfiguration): void {
  command.configureOutput(output);
  for (const child of command.commands) configureOutput(child, output);
}
