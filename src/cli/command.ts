import { Command, CommanderError, Option } from '@commander-js/extra-typings';

/** How the tool is called; usage lines and examples begin with it. */
export const programName = 'npm run registry --';

/** A command that reads. Its name and summary stand in commands.ts; each example begins with its words. */
export function reading(...examples: string[]) {
  return bare(...examples)
    .addOption(
      new Option(
        '--persist-to <dir>',
        'the directory of the local database, as for npm start',
      ).conflicts('remote'),
    )
    .option('--remote', 'work on the deployed database')
    .option('--env <name>', 'the environment in wrangler.toml (with --remote: production)')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'answer in JSON, and print nothing else to standard output');
}

/** A command that writes. */
export function writing(...examples: string[]) {
  return (
    reading(...examples)
      .option('--dry-run', 'show what would change, and change nothing')
      // Marks the command as one that writes. As a default of the option, the help would show it.
      .setOptionValueWithSource('dryRun', false, 'default')
  );
}

/** A command without a registry. */
export function bare(...examples: string[]) {
  return withExamples(new Command(), examples);
}

export interface CommonOptions {
  persistTo?: string;
  remote?: true;
  env?: string;
  yes?: true;
  json?: true;
  /** Undefined for a command that only reads. */
  dryRun?: boolean;
}

/** Adds the examples to the help. */
export function withExamples(command: Command, examples: readonly string[]) {
  const lines = examples.map((example) => `  ${programName} ${example}`);
  return (
    command
      // Otherwise Commander ends the process itself, with status 1 for wrong usage.
      .exitOverride()
      .addHelpText('after', `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`)
  );
}

/** Wrong usage that only the command itself can see. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'registry.usage', message);
}
