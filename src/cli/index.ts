import { runProgram } from './program.ts';

// The operator's tool.

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `| head`, is not a failure.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

await runProgram(process.argv.slice(2));
