import { enterUsersDirectory, refuseKeptOptions } from './project.ts';
import { endAtInterrupt } from './report/interrupt.ts';

// Files and directories may have personal data, so they are for their owner alone.
process.umask(0o077);
enterUsersDirectory('registry');
// Those that choose the registry, or change nothing. Without another, the command fails, or asks.
refuseKeptOptions('registry', ['--persist-to', '--remote', '--env', '--dry-run']);
endAtInterrupt();

// An unhandled error would end the process before the failed write is reported.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
