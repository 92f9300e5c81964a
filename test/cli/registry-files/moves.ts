import { type beforeAll, beforeEach } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { endReservations } from '../../../src/retained-domain/end.ts';
import { startTool, type TestRegistry } from '../tool.ts';
import { type Files, readFileOf, writeFiles } from './files.ts';

/** A registry, and a directory for the files that move in, of each test or (`beforeAll`) of the file. */
export function startMoves(before: typeof beforeAll = beforeEach) {
  const tool = startTool();
  let registry: TestRegistry;
  let directory: string;

  const begin = async () => {
    directory = await tool.newDirectory();
  };
  before(async () => {
    registry = await tool.newRegistry();
    await begin();
  });

  return {
    tool,
    get registry() {
      return registry;
    },
    get directory() {
      return directory;
    },
    /** Another directory. */
    begin,
    /**
     * Moves the files in, and returns what the tool answers, the counts by kind that are not zero, the lines of the report,
     * and what does the same again.
     */
    async moveIn(files: Files, ...options: string[]) {
      writeFiles(directory, files);
      const run = () => registry.done(['move-in', directory, '--yes', ...options]);
      const { kinds, changed, causes, ignored } = await run();
      const counts = (kinds as Record<string, unknown>[]).map(({ kind, ...each }) => [
        kind,
        Object.fromEntries(Object.entries(each).filter(([, count]) => count !== 0)),
      ]);
      const lines = readFileOf(directory, 'move-in-report').map(
        ({ file, line, key, column, value, done, why }) =>
          `${file}:${line} ${key} ${column} ${JSON.stringify(value)} ${done}: ${why}`,
      );
      return { kinds, changed, causes, ignored, counts: Object.fromEntries(counts), lines, run };
    },
    /** Ends reserved names a day ahead of time, as the scheduled run does. */
    async endReservations() {
      const { env, dispose } = await registry.open();
      const at = new Date(Date.now() + 24 * 60 * 60 * 1000);
      await endReservations(openDatabase(env.DB), { at, requestId: crypto.randomUUID() });
      await dispose();
    },
    async reconcile(...options: string[]) {
      const { status, stdout } = await registry.run(['reconcile', directory, '--json', ...options]);
      return { status, ...JSON.parse(stdout) };
    },
  };
}
