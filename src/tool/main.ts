import { enterUsersDirectory } from './project.ts';
import { endAtInterrupt } from './report/interrupt.ts';

// What the tool makes may have personal data, so files and directories are for their owner alone.
process.umask(0o077);
enterUsersDirectory('registry');
endAtInterrupt();

// Otherwise such an error ends the process before the failed write is reported.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
