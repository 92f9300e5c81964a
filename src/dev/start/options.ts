import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { longNames, parseNumber, parsePath } from '../../tool/command.ts';
import { localDirectory, refuseKeptOptions } from '../../tool/project.ts';

export type StartOptions = ReturnType<typeof readStartOptions>;

/** Ends the process after the help or an error. */
export function readStartOptions(args: readonly string[]) {
  const command = new Command('npm start --')
    .description('Start the registry on this machine. The data of an earlier start is kept.')
    .option('--port <port>', 'where to listen; 0 uses any free port', parsePort, 8787)
    .option('--ip <address>', 'the address to listen on', 'localhost')
    .option('--persist-to <dir>', 'where to keep the data (default: .wrangler/state)', parsePath)
    .option('--env <name>', 'an environment in wrangler.toml')
    .option('--limits <name>', 'the rate limits of an environment in wrangler.toml')
    .option('--var <name:value>', 'overrides a setting in wrangler.toml; repeatable', readSetting)
    .option('--no-demo', 'leave an empty database empty')
    .option(
      '--desk',
      "serve the staff's desk as well, to somebody whom src/desk/wrangler.toml names",
    )
    .option('--json-log', 'log in JSON, as a deployment does')
    .addOption(
      new Option(
        '--sandbox',
        'start from the demo data each time, with a clock that can be moved (default directory: .wrangler/sandbox)',
      ).conflicts(['env', 'demo']),
    )
    .allowExcessArguments(false)
    .showHelpAfterError('(npm start -- --help shows the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  refuseKeptOptions('start', longNames(command));
  // npm removes one `--`. People often write two.
  const words = args.filter((arg) => arg !== '--');
  const { sandbox, persistTo, ...options } = command.parse(words, { from: 'user' }).opts();
  const isSandbox = sandbox ?? false;
  const directory = localDirectory(persistTo, isSandbox ? 'sandbox' : 'state');
  return { ...options, isSandbox, directory };
}

function parsePort(text: string): number {
  const port = parseNumber(text);
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It must be 0 to 65535.');
}

function readSetting(text: string, others: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...others, [name]: value };
  throw new InvalidArgumentError('It must be NAME:VALUE.');
}
