import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setClockAhead } from '../clock.ts';
import type { Env } from '../env.ts';
import { findClockAhead, openOverHttp } from './http-bindings.ts';
import { readLocalConfig } from './local-config.ts';
import type { Bindings } from './session.ts';

/** Where a running local server can be reached, and the token that its bindings are opened with. */
interface RunningServer {
  address: string;
  token: string;
  environment?: string | undefined;
}

const fileOf = (directory: string) => path.join(directory, 'server.json');

/** Notes that a server runs on the data in the directory, for the tool to find. */
export function noteServer(directory: string, server: RunningServer): void {
  const file = fileOf(directory);
  writeFileSync(file, JSON.stringify(server), { mode: 0o600 });
  chmodSync(file, 0o600);
}

export function forgetServer(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

/** The bindings of the server that runs on the data in the directory; undefined if none answers. */
export async function openRunningServer(
  directory: string,
  environment: string | undefined,
): Promise<Bindings | undefined> {
  const file = fileOf(directory);
  if (!existsSync(file)) return undefined;
  const server: RunningServer = JSON.parse(readFileSync(file, 'utf8'));
  if (server.environment !== environment) return undefined;
  // The note of a server that was killed stays behind.
  const clockAhead = await findClockAhead(server.address, server.token);
  if (clockAhead === undefined) return undefined;
  // In a sandbox, the tool works at the sandbox's time.
  setClockAhead(clockAhead);
  return { env: serverEnv(server), dispose: async () => setClockAhead(0) };
}

/** The settings and the bindings of a server. */
export function serverEnv({ address, token, environment }: RunningServer): Env {
  return {
    ...readLocalConfig(environment).vars,
    ...openOverHttp(address, token),
  } as unknown as Env;
}
