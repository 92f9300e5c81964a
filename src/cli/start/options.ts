import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { localDirectory } from '../project.ts';

export type StartOptions = Exclude<ReturnType<typeof readStartOptions>, number>;

/** Reads the options of `npm start`. If there is nothing to start, prints the help or the error and returns the status. */
export function readStartOptions(args: readonly string[]) {
  const command = new Command('npm start --')
    .description('Start the registry on this machine. The data of an earlier start is kept.')
    .option('--port <port>', 'where to listen; 0 uses any free port', parsePort, 8787)
    .option('--ip <address>', 'the address to listen on', 'localhost')
    .option('--persist-to <dir>', 'where to keep the data (default: .wrangler/state)')
    .option('--env <name>', 'an environment in wrangler.toml')
    .option('--limits <name>', 'the rate limits of an environment in wrangler.toml')
    .option('--var <name:value>', 'overrides a setting in wrangler.toml; repeatable', readSetting)
    .option('--no-demo', 'leave an empty database empty')
    .option('--json-log', 'log in JSON, as a deployment does')
    .addOption(
      new Option(
        '--sandbox',
        'start from the demo data each time, with a clock that can be moved (default directory: .wrangler/sandbox)',
      ).conflicts(['env', 'demo']),
    )
    .allowExcessArguments(false)
    .showHelpAfterError('(npm start -- --help shows the options)')
    .exitOverride();
  try {
    // npm removes one `--`; people often write a second one.
    command.parse(
      args.filter((arg) => arg !== '--'),
      { from: 'user' },
    );
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  const { port, ip, persistTo, env, limits, demo, jsonLog } = command.opts();
  const { sandbox: isSandbox = false } = command.opts();
  return {
    settings: command.opts().var ?? {},
    port,
    ip,
    environment: env,
    limits,
    isDemoWanted: demo,
    isSandbox,
    isJsonLog: jsonLog ?? false,
    directory: localDirectory(persistTo, isSandbox ? 'sandbox' : 'state'),
    // The command that is proposed when the port is taken.
    otherArgs: withoutPort(args),
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function readSetting(text: string, others: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be NAME:VALUE.');
  }
  return { ...others, [name]: value };
}

function withoutPort(args: readonly string[]): string[] {
  return args.filter((arg, index) => !/^--port(=|$)/.test(arg) && args[index - 1] !== '--port');
}
