import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** Debian's packages keep the server's programs off the PATH. */
const places = [
  ...globSync('/usr/lib/postgresql/*/bin'),
  ...(process.env.PATH ?? '').split(path.delimiter),
];
const programs = places.find((place) => existsSync(path.join(place, 'initdb')));

const owner = findOwner();

/** The user that PostgreSQL runs as: this one, or `postgres` for root, as which it refuses to run. */
function findOwner(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const [uid, gid] = ['-u', '-g'].map((option) =>
      Number(execFileSync('id', [option, 'postgres'], { stdio: 'pipe' })),
    );
    return { uid, gid };
  } catch {
    return undefined;
  }
}

/** Says why the tests that need PostgreSQL are skipped; undefined if it can run. */
export function whyNoPostgres(): string | undefined {
  if (!programs)
    return 'there is no PostgreSQL: neither the PATH nor /usr/lib/postgresql has initdb';
  if (!owner) return 'PostgreSQL does not run as root, and there is no user postgres';
  return undefined;
}

/** An empty PostgreSQL for the tests of one file. Where there is none, they are skipped, and the run says why. */
export function startPostgres() {
  let directory: string;
  let server: ReturnType<typeof spawn> | undefined;
  beforeAll(async () => {
    if (whyNoPostgres()) return;
    directory = mkdtempSync(path.join(tmpdir(), 'registry-postgres-'));
    if (owner?.uid !== undefined) chownSync(directory, owner.uid, owner.gid!);
    const data = path.join(directory, 'data');
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
    const initdb = path.join(programs!, 'initdb');
    execFileSync(initdb, [...options, '--no-sync'], { ...owner, cwd: directory, stdio: 'pipe' });
    server = spawn(
      path.join(programs!, 'postgres'),
      ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'fsync=off'],
      { ...owner, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    for await (const line of createInterface({ input: server.stderr! })) {
      if (line.includes('ready to accept connections')) break;
    }
    server.stderr!.resume();
  });
  beforeEach(({ skip }) => {
    const reason = whyNoPostgres();
    if (reason) skip(reason);
  });
  afterAll(async () => {
    if (!server) return;
    server.kill('SIGINT');
    await once(server, 'exit');
    rmSync(directory, { recursive: true });
  });

  return {
    /** With it, `psql` in a shell is this server's. */
    environment: () => ({
      ...process.env,
      ...{ PGHOST: directory, PGUSER: 'postgres', PATH: `${programs}:${process.env.PATH}` },
    }),
    /** Runs psql in a directory, with files or commands as its arguments say, and returns what it prints. */
    async psql(args: string[], cwd = '.'): Promise<string> {
      const always = ['-X', '-q', '-t', '-A', '-v', 'ON_ERROR_STOP=1', '-h', directory];
      const { stdout } = await promisify(execFile)(
        path.join(programs!, 'psql'),
        [...always, '-U', 'postgres', ...args],
        { cwd, maxBuffer: 2 ** 28 },
      );
      return stdout;
    },
  };
}
