import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  type OutputConfiguration,
} from '@commander-js/extra-typings';
import { type OpenBindings, opening } from './bindings.ts';
import { programName, typedWords } from './command.ts';
import { projectVersion } from './project.ts';
import { say, writeAnswer } from './report/output.ts';

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
    if (error.exitCode === 0) return await writeAnswer(help);
    process.exitCode = 2;
    if (args.includes('--json')) {
      const message = error.message.replace(/^error: /, '').trim();
      await writeAnswer(`${JSON.stringify({ errors: [{ reason: 'usage', message }] })}\n`);
    } else {
      say((printed || `error: ${error.message}`).trimEnd().split('\n'));
      process.stderr.write(
        `(see ${[programName, ...commandNames(program, args)].join(' ')} --help)\n`,
      );
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

function commandNames(program: CommandUnknownOpts, [noun, verb]: readonly string[]): string[] {
  const match = program.commands.find((command) => command.name() === noun);
  const verbs = match?.commands.filter((command) => command.name() === verb) ?? [];
  return match ? [match.name(), ...verbs.map((command) => command.name())] : [];
}

/** Collects Commander's output until its form is known. */
function configureOutput(command: CommandUnknownOpts, output: OutputConfiguration): void {
  command.configureOutput(output);
  for (const child of command.commands) configureOutput(child, output);
}
