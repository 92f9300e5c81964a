import { endAtInterrupt } from './interrupt.ts';
import { enterUsersDirectory } from './project.ts';

enterUsersDirectory('registry');
endAtInterrupt();

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `| head`, is not a failure.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
