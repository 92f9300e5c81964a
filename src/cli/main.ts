import { enterUsersDirectory } from './project.ts';
import { endAtInterrupt } from './report/interrupt.ts';

enterUsersDirectory('registry');
endAtInterrupt();

// The write that fails reports it too, and ends the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
