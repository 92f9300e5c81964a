import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { programName, withExamples } from './command.ts';
import { type CommandEntry, commands, isNoun, type Noun } from './commands.ts';
import { projectDirectory } from './project.ts';
import { inSession, Session } from './session.ts';

/**
 * The program with the command that these arguments ask for. The others are known by their names and summaries alone,
 * so that a command loads only what it needs.
 */
async function programFor(args: readonly string[]): Promise<CommandUnknownOpts> {
  const words = args.filter((word) => !word.startsWith('-'));
  const [first, second] = words[0] === 'help' ? words.slice(1) : words;
  return newProgram((noun, verb) => noun === first && (verb === undefined || verb === second));
}

/** The program with every command loaded. */
export function wholeProgram(): Promise<CommandUnknownOpts> {
  return newProgram(() => true);
}

async function newProgram(
  isAsked: (noun: string, verb?: string) => boolean,
): Promise<CommandUnknownOpts> {
  const program = new Command(programName)
    .description("The operator's tool: everything a registry's operator does, without SQL")
    .usage('<noun> <verb> [options]')
    .version(version(), '--version')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .addHelpText(
      'after',
      `
Each noun and each verb has its own --help. Without --remote the tool works on the local database,
also while npm start is running.

Example:
  ${programName} registrar add --code ALPHA --name "Alpha OÜ"`,
    );
  for (const [name, entry] of Object.entries(commands)) {
    program.addCommand(
      isNoun(entry)
        ? await newNoun(name, entry, (verb) => isAsked(name) && isAsked(name, verb))
        : await newCommand(name, entry, isAsked(name)),
    );
  }
  return program as unknown as CommandUnknownOpts;
}

function version(): string {
  const file = path.join(projectDirectory, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

async function newNoun(
  name: string,
  { summary, example, unnamedVerb, verbs }: Noun,
  isAsked: (verb: string) => boolean,
): Promise<CommandUnknownOpts> {
  const command = withExamples(new Command(name), [example])
    .description(summary)
    .configureHelp({ subcommandTerm: (verb) => verb.name() });
  for (const [verb, entry] of Object.entries(verbs)) {
    const isDefault = verb === unnamedVerb;
    const isWanted = isDefault || isAsked(verb);
    command.addCommand(
      isNoun(entry)
        ? await newNoun(verb, entry, () => isWanted)
        : await newCommand(verb, entry, isWanted),
      { isDefault },
    );
  }
  return command as unknown as CommandUnknownOpts;
}

async function newCommand(
  name: string,
  { summary, load }: CommandEntry,
  isAsked: boolean,
): Promise<CommandUnknownOpts> {
  if (!isAsked) return new Command(name).description(summary) as unknown as CommandUnknownOpts;
  const { command } = await load();
  return command.name(name).description(summary);
}

/**
 * Runs a command line and sets the process's exit status: 0 done, 1 refused or failed (the reason is printed), 2 wrong
 * usage. Commands of the same session share an open registry, which the caller of a given session disposes of.
 */
export async function runProgram(args: readonly string[], session?: Session): Promise<void> {
  if (!session) {
    await using own = new Session();
    // Awaited here: the session has to outlive the command.
    await runProgram(args, own);
    return;
  }
  const program = await programFor(args);
  let printed = '';
  configureOutput(program, (text) => (printed += text));
  try {
    await inSession(session, () => program.parseAsync(args, { from: 'user' }));
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    process.exitCode = 2;
    if (args.includes('--json')) {
      const message = error.message.replace(/^error: /, '').trim();
      console.log(JSON.stringify({ errors: [{ reason: 'usage', message }] }));
    } else {
      process.stderr.write(printed || `error: ${error.message}\n`);
      process.stderr.write(
        `(see ${usedWords(program, args)} --help for the usage and an example)\n`,
      );
    }
  }
}

/** Commands print their errors by themselves; here they are kept until it is known in which form to print them. */
function configureOutput(command: CommandUnknownOpts, writeErr: (text: string) => void): void {
  command.configureOutput({ writeErr });
  for (const child of command.commands) configureOutput(child, writeErr);
}

/** The words of the command line that name a command. */
function usedWords(program: CommandUnknownOpts, args: readonly string[]): string {
  const words = [programName];
  let command: CommandUnknownOpts | undefined = program;
  for (const word of args) {
    command = command.commands.find((child) => child.name() === word);
    if (!command) break;
    words.push(word);
  }
  return words.join(' ');
}
