import { createInterface } from 'node:readline';
import { bare } from './command.ts';
import { isOutputLost, writeAnswer } from './report/output.ts';
import { counted } from './report/text.ts';
import { runningSession, type Session } from './session.ts';

/** The command that runs each line as `run` does, in its own session. */
export function shellCommand(run: (args: readonly string[], session: Session) => Promise<void>) {
  return bare('shell', 'shell < commands.txt', 'shell --persist-to DIR')
    .option('--persist-to <dir>', 'for every command: the directory of the local database')
    .option('--remote', 'for every command: work on the deployed database')
    .option('--env <name>', 'for every command: the environment in wrangler.toml')
    .option('--yes', 'for every command: do not ask for confirmation')
    .option('--json', 'for every command: answer in JSON (together: NDJSON)')
    .addHelpText(
      'after',
      `
Each line is a command without the word "registry", with quotes as in a shell; # begins a comment. A command
that fails does not stop the others; the exit status is the highest of theirs. Data comes from files, because
standard input holds the commands.`,
    )
    .action(async ({ json }, command) => {
      const common = command.options.flatMap((option) => {
        const value = command.getOptionValue(option.attributeName());
        return value === undefined
          ? []
          : [option.long!, ...(value === true ? [] : [String(value)])];
      });
      const session = runningSession.getStore()!;
      const read = readLines();
      // The answer to a command's question is the next line.
      session.ask = read;
      let status = 0;
      const notRun: string[] = [];
      for (let line = await read(prompt); line !== undefined; line = await read(prompt)) {
        const words = wordsOf(line);
        // Nobody would see the outcome.
        if (isOutputLost()) {
          if (words?.length !== 0) notRun.push(line);
        } else if (!words) {
          await refuseLine(line, json ?? false);
          status = Math.max(status, 2);
        } else if (words.length > 0) {
          process.exitCode = undefined;
          await run([...words, ...common], session);
          status = Math.max(status, Number(process.exitCode ?? 0));
        }
      }
      session.ask = undefined;
      if (notRun.length > 0) {
        const rest = `${counted(notRun.length, 'line')} not run, from: ${notRun[0]}`;
        console.error(`failed: standard output takes no more; ${rest}`);
      }
      process.exitCode = status;
    });
}

const prompt = 'registry> ';

/** Reads standard input line by line, asking for each on a terminal; undefined at the end. */
function readLines(): (prompt: string) => Promise<string | undefined> {
  const { stdin, stdout } = process;
  const terminal = stdin.isTTY ?? false;
  const reader = createInterface({ input: stdin, output: stdout, terminal });
  // On a terminal, readline takes Ctrl-C for itself.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let isEnded = false;
  reader.on('close', () => {
    isEnded = true;
  });
  const lines = reader[Symbol.asyncIterator]();
  return async (prompt) => {
    reader.setPrompt(prompt);
    // Lines that were pasted may be left when the input has ended.
    if (terminal && isEnded) stdout.write(prompt);
    else if (terminal) reader.prompt();
    return (await lines.next()).value;
  };
}

async function refuseLine(line: string, isJson: boolean): Promise<void> {
  const message = `a quote or an escape is not finished: ${line}`;
  if (isJson) await writeAnswer(`${JSON.stringify({ errors: [{ reason: 'usage', message }] })}\n`);
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
