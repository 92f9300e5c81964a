import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  type OutputConfiguration,
} from '@commander-js/extra-typings';
import { type OpenBindings, opening } from './bindings.ts';
import { programName } from './command.ts';
import { projectVersion } from './project.ts';
import { startCommandProgress } from './report/command-progress.ts';
import { writeAnswer } from './report/output.ts';

/** A noun, or a command without one. Its module is loaded on demand. */
interface Entry {
  summary: string;
  load(): Promise<CommandUnknownOpts>;
}

const entries: Readonly<Record<string, Entry>> = {
  registrar: {
    summary: 'Registrars and the addresses they may call from',
    load: async () => (await import('./nouns/registrar.ts')).registrarCommand,
  },
  'api-user': {
    summary: "Registrars' users of the registrar interface",
    load: async () => (await import('./nouns/api-user.ts')).apiUserCommand,
  },
  system: {
    summary: "The registry's own systems, their rights and their keys",
    load: async () => (await import('./nouns/system.ts')).systemCommand,
  },
  certificate: {
    summary: 'Client certificates of API users and systems',
    load: async () => (await import('./nouns/certificate.ts')).certificateCommand,
  },
  contact: {
    summary: 'Contacts, with their codes, UUIDs, timestamps and legacy ids',
    load: async () => (await import('./nouns/contact/index.ts')).contactCommand,
  },
  disclosure: {
    summary: 'Requests to disclose what is on record about a person, and their answers',
    load: async () => (await import('./nouns/disclosure.ts')).disclosureCommand,
  },
  domain: {
    summary: 'Domains and the contacts they link',
    load: async () => (await import('./nouns/domain/index.ts')).domainCommand,
  },
  retained: {
    summary: 'Reserved and blocked names',
    load: async () => (await import('./nouns/retained/index.ts')).retainedCommand,
  },
  dispute: {
    summary: 'Disputed names',
    load: async () => (await import('./nouns/dispute.ts')).disputeCommand,
  },
  auction: {
    summary: 'Names put up for auction',
    load: async () => (await import('./nouns/auction.ts')).auctionCommand,
  },
  token: {
    summary: "Registrants' tokens, for support and testing",
    load: async () => (await import('./nouns/token.ts')).tokenCommand,
  },
  lists: {
    summary: 'The public lists',
    load: async () => (await import('./nouns/lists.ts')).listsCommand,
  },
  health: {
    summary: 'Show whether anything needs attention: the lists, the cron, the size of the database',
    load: async () => (await import('./nouns/health.ts')).healthCommand,
  },
  history: {
    summary: 'The history of changes, including those of deleted things',
    load: async () => (await import('./nouns/history/index.ts')).historyCommand,
  },
  report: {
    summary: 'Figures for a month, about values to correct, and about disclosures',
    load: async () => (await import('./nouns/report.ts')).reportCommand,
  },
  'move-in': {
    summary: 'Make the registry equal to a directory of files from another registry',
    load: async () => (await import('./registry-files/move-in.ts')).moveInCommand,
  },
  reconcile: {
    summary: 'Prove that the registry is equal to the files that moved in',
    load: async () => (await import('./registry-files/reconcile.ts')).reconcileCommand,
  },
  'move-out': {
    summary: 'Write the whole registry to a directory of files for move-in',
    load: async () => (await import('./registry-files/move-out.ts')).moveOutCommand,
  },
  backup: {
    summary: 'Write the whole database to one file',
    load: async () => (await import('./nouns/backup/backup.ts')).backupCommand,
  },
  restore: {
    summary: 'Copy a backup into an empty database and publish the lists',
    load: async () => (await import('./nouns/backup/restore.ts')).restoreCommand,
  },
};

export function wholeProgram(): Promise<CommandUnknownOpts> {
  return programWith(Object.keys(entries));
}

/** The program with these nouns loaded; it knows only the names and summaries of the others. */
async function programWith(nouns: readonly (string | undefined)[]): Promise<CommandUnknownOpts> {
  const program = new Command(programName)
    .description("The operator's tool: everything a registry's operator does, without SQL")
    .usage('<noun> <verb> [options]')
    .version(projectVersion(), '--version')
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
  for (const [name, { summary, load }] of Object.entries(entries)) {
    const command = nouns.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(summary));
  }
  return program as unknown as CommandUnknownOpts;
}

/**
 * Runs a command line and sets the process's exit status: 0 done, 1 refused or failed (the reason is printed), 2 wrong
 * usage.
 */
export async function runProgram(args: readonly string[], open?: OpenBindings): Promise<void> {
  const [first, second] = args.filter((word) => !word.startsWith('-'));
  const program = await programWith([first === 'help' ? second : first]);
  const isUnknown = first !== undefined && first !== 'help' && !(first in entries);
  let printed = '';
  let help = '';
  configureOutput(program, {
    writeOut: (text) => (help += text),
    writeErr: (text) => (printed += text),
  });
  startCommandProgress(args);
  try {
    await opening.run(open, () =>
      // With --help, Commander would show the general help of a noun that there is not.
      program.parseAsync(isUnknown ? [first] : args, { from: 'user' }),
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return await writeAnswer(help);
    process.exitCode = 2;
    if (args.includes('--json')) {
      const message = error.message.replace(/^error: /, '').trim();
      await writeAnswer(`${JSON.stringify({ errors: [{ reason: 'usage', message }] })}\n`);
    } else {
      process.stderr.write(printed || `error: ${error.message}\n`);
      const { commands } = isUnknown ? await wholeProgram() : program;
      const meant =
        isUnknown && commands.find((noun) => noun.commands.some((verb) => verb.name() === first));
      if (meant) process.stderr.write(`did you mean ${programName} ${meant.name()} ${first}?\n`);
      process.stderr.write(
        `(see ${usedWords(program, args)} --help for the usage and an example)\n`,
      );
    }
  }
}

/** Collects what Commander prints by itself, until it is known in which form to print it. */
function configureOutput(command: CommandUnknownOpts, output: OutputConfiguration): void {
  command.configureOutput(output);
  for (const child of command.commands) configureOutput(child, output);
}

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
