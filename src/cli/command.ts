import { Command, CommanderError, Option } from '@commander-js/extra-typings';

/** How the tool is called; usage lines and examples begin with it. */
export const programName = 'npm run registry --';

/** The verbs of a noun, with the first line of an operator's work on it as the example. */
export function noun(name: string, summary: string, example: string) {
  return withExamples(new Command(name).description(summary), [example]);
}

/** A verb that reads: where the registry is, and in which form the answer is wanted. */
export function reading(name: string, summary: string, ...examples: string[]) {
  return withExamples(new Command(name).description(summary), examples)
    .addOption(
      new Option(
        '--persist-to <dir>',
        'the directory of the local database, as for npm start',
      ).conflicts('remote'),
    )
    .option('--remote', 'work on the deployed database')
    .option('--env <name>', 'the environment of wrangler.toml; production with --remote')
    .option('--yes', 'do not ask before working on the deployed database')
    .option('--json', 'answer in JSON, and write nothing else to standard output');
}

/** A verb that writes. */
export function writing(name: string, summary: string, ...examples: string[]) {
  return reading(name, summary, ...examples).option(
    '--dry-run',
    'say what would change, and change nothing',
  );
}

export interface CommonOptions {
  persistTo?: string;
  remote?: true;
  env?: string;
  yes?: true;
  json?: true;
  dryRun?: true;
}

function withExamples(command: Command, examples: string[]) {
  const lines = examples.map((example) => `  ${programName} ${example}`);
  return (
    command
      // Without it the library ends the process itself, with status 1 for wrong usage.
      .exitOverride()
      .showHelpAfterError('(--help shows the usage and an example)')
      .addHelpText('after', `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`)
  );
}

export const usageErrorCode = 'registry.usage';

/** Wrong usage that only the command itself can see; the library prints its own. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, usageErrorCode, message);
}
