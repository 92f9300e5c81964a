import { CommanderError } from '@commander-js/extra-typings';
import { usageErrorCode } from './command.ts';
import { program } from './program.ts';

// The operator's tool. Exit status: 0 done, 1 refused (the reason is printed), 2 wrong usage.

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, as `| head`, is no failure.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  if (error.code === usageErrorCode) console.error(`error: ${error.message}`);
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
