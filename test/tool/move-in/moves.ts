import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type beforeAll, beforeEach } from 'vitest';
import { runProgram } from '../../../src/tool/program.ts';
import { captured } from '../captured.ts';
import { startTool } from '../tool.ts';
import { type Files, readFileOf, writeFiles } from './files.ts';

// biome-ignore lint/suspicious/noExplicitAny: the rows of every table
type Row = Record<string, any>;

export const run = (...words: string[]) => captured(() => runProgram(words));

/** A directory for the files that move in, of each test or (`beforeAll`) of the file. */
export function startMoves(before: typeof beforeAll = beforeEach) {
  const tool = startTool();
  let directory: string;
  let count = 0;
  before(async () => {
    directory = await tool.newDirectory();
  });
  const file = () => path.join(directory, `registry-${count}.sqlite`);

  return {
    tool,
    get directory() {
      return directory;
    },
    /** The file that `moveIn` has written. */
    get file() {
      return file();
    },
    /**
     * Moves the files in, and returns what the tool answers, the counts by kind that are not zero, and the lines of the
     * report.
     */
    async moveIn(files: Files, ...options: string[]) {
      count += 1;
      writeFiles(directory, files);
      const target = options.includes('--dry-run') ? [] : ['--to', file()];
      const all = [...target, '--skip-invalid', ...options];
      const ended = await run('move-in', directory, '--json', ...all);
      if (ended.status !== 0) throw new Error(ended.stdout + ended.stderr);
      const { kinds, causes, ignored } = JSON.parse(ended.stdout);
      const counts = (kinds as Row[]).map(({ kind, added, refused }) => [kind, added, refused]);
      const lines = readFileOf(directory, 'move-in-report')
        .sort((one, other) => (one.file! < other.file! ? -1 : Number(one.file !== other.file)))
        .map(
          ({ file, line, key, column, value, done, why }) =>
            `${file}:${line} ${key} ${column} ${JSON.stringify(value)} ${done}: ${why}`,
        );
      return { causes, ignored, counts, lines };
    },
    /** Every row of every table in the file. */
    rows(): Record<string, Row[]> {
      using database = new DatabaseSync(file(), { readOnly: true });
      const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
      return Object.fromEntries(
        tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
      );
    },
    async reconcile(...options: string[]) {
      const { status, stdout } = await run('reconcile', directory, file(), '--json', ...options);
      return { status, ...JSON.parse(stdout) };
    },
  };
}
