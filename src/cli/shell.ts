import { createInterface } from 'node:readline';
import { bare } from './command.ts';
import { currentSession, type Session } from './session.ts';

/** The command that runs each line as `run` does, in its own session. */
export function shellCommand(run: (args: readonly string[], session: Session) => Promise<void>) {
  return bare('shell', 'shell < commands.txt', 'shell --persist-to DIR')
    .option('--persist-to <dir>', 'for every command: the directory of the local database')
    .option('--remote', 'for every command: work on the deployed database')
    .option('--env <name>', 'for every command: the environment in wrangler.toml')
    .option('--yes', 'for every command: do not ask for confirmation')
    .option('--json', 'for every command: answer in JSON')
    .addHelpText(
      'after',
      `
Each line is a command without the word "registry", with quotes as in a shell; # begins a comment. A command
that fails does not stop the others; the exit status is the highest of theirs.`,
    )
    .action(async ({ persistTo, remote, env, yes, json }) => {
      const common = [
        ...(persistTo === undefined ? [] : ['--persist-to', persistTo]),
        ...(remote ? ['--remote'] : []),
        ...(env === undefined ? [] : ['--env', env]),
        ...(yes ? ['--yes'] : []),
        ...(json ? ['--json'] : []),
      ];
      const session = currentSession();
      const { stdin, stdout } = process;
      const lines = createInterface({
        input: stdin,
        output: stdout,
        terminal: stdin.isTTY ?? false,
      });
      let status = 0;
      if (stdin.isTTY) lines.setPrompt('registry> ');
      if (stdin.isTTY) lines.prompt();
      for await (const line of lines) {
        const words = wordsOf(line);
        if (!words) {
          refuseLine(line, json ?? false);
          status = Math.max(status, 2);
        } else if (words.length > 0) {
          process.exitCode = undefined;
          await run([...words, ...common], session);
          status = Math.max(status, Number(process.exitCode ?? 0));
        }
        if (stdin.isTTY) lines.prompt();
      }
      process.exitCode = status;
    });
}

function refuseLine(line: string, isJson: boolean): void {
  const message = `a quote or an escape is not finished: ${line}`;
  if (isJson) console.log(JSON.stringify({ errors: [{ reason: 'usage', message }] }));
  else console.error(`error: ${message}`);
}

/** A comment, or a word with its quotes and escapes. */
const wordPattern = /(?:^|(?<=\s))#.*$|(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g;

/**
 * The words of a line as a shell would split it, or undefined if a quote or an escape in it is not finished. A line may
 * begin with the words that call the tool.
 */
export function wordsOf(line: string): string[] | undefined {
  if (line.replace(wordPattern, '').trim() !== '') return undefined;
  const words = [...line.matchAll(wordPattern)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith('#'))
    .map((word) =>
      word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
        double === undefined ? (single ?? escaped) : double.replace(/\\(["\\$`])/g, '$1'),
      ),
    );
  const call = ['npm run registry --', 'registry'].find((call) =>
    `${words.join(' ')} `.startsWith(`${call} `),
  );
  return call === undefined ? words : words.slice(call.split(' ').length);
}
