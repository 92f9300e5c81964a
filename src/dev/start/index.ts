import { enterUsersDirectory } from '../../tool/project.ts';
import { readStartOptions } from './options.ts';

// The local server's data is for its owner alone, as in main.ts.
process.umask(0o077);
enterUsersDirectory('start');
try {
  const options = readStartOptions(process.argv.slice(2));
  // Wrong options are refused at once, without what the server needs.
  const { start } = await import('./start.ts');
  await start(options);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
