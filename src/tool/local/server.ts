import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { setClockAhead } from '../../base/time/clock.ts';
import type { Bindings } from '../bindings.ts';
import { readLocalConfig } from '../wrangler-config.ts';
import { findClockAhead, openOverHttp } from './http-bindings.ts';

interface RunningServer {
  address: string;
  token: string;
  environment?: string | undefined;
  /** The settings that replace wrangler.toml's. */
  settings?: Record<string, string> | undefined;
  /** The public address; the other one is for the tool. */
  service?: string | undefined;
}

const fileOf = (directory: string) => path.join(directory, 'server.json');

/** A copy of a folder has the notes of its processes, too, which do not hold there. A moved one keeps its id. */
export function folderId(directory: string): string | undefined {
  const { dev, ino } = statSync(directory, { bigint: true, throwIfNoEntry: false }) ?? {};
  return dev === undefined ? undefined : `${dev}:${ino}`;
}

export function noteServer(directory: string, server: RunningServer): void {
  // writeFileSync keeps an existing file's mode.
  forgetServer(directory);
  writeFileSync(fileOf(directory), JSON.stringify({ ...server, folder: folderId(directory) }), {
    mode: 0o600,
  });
}

export function forgetServer(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

function readNote(directory: string): RunningServer | undefined {
  try {
    const note = JSON.parse(readFileSync(fileOf(directory), 'utf8'));
    return note?.folder === folderId(directory) ? note : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Undefined if no server answers. Throws `taken`, with the option to pass, if the server runs in
 * another environment.
 */
export async function openRunningServer(
  directory: string,
  environment: string | undefined,
): Promise<Bindings | undefined> {
  const server = readNote(directory);
  if (!server) return undefined;
  const clockAhead = await findClockAhead(server.address, server.token);
  // A killed server leaves its note.
  if (clockAhead === undefined) return undefined;
  if (server.environment !== environment) {
    const right = server.environment ? `pass --env ${server.environment}` : 'leave out --env';
    const message = `npm start runs on ${directory}; to work through it, ${right}`;
    throw new RegistryError('taken', message);
  }
  // In a sandbox, the tool uses the sandbox's time.
  setClockAhead(clockAhead);
  return { env: serverEnv(server), service: server.service, dispose: async () => setClockAhead(0) };
}

export function serverEnv({ address, token, environment, settings }: RunningServer): Env {
  const { vars, archive } = readLocalConfig(environment);
  const { ARCHIVE, ...bindings } = openOverHttp(address, token);
  return { ...vars, ...settings, ...bindings, ...(archive && { ARCHIVE }) } as unknown as Env;
}
