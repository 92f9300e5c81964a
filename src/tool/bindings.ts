import { AsyncLocalStorage } from 'node:async_hooks';
import type { Env } from '../base/env.ts';
import type { CommonOptions } from './command.ts';

export interface Bindings {
  env: Env;
  /** The address of the local server that they belong to; undefined if none runs. */
  service?: string | undefined;
  dispose(): Promise<void>;
}

export type OpenBindings = (
  options: CommonOptions,
  access: { isWritable: boolean; mayBeEmpty?: boolean },
) => Promise<Bindings>;

/** Opens the bindings of the running command, if `openBindings` does not. */
export const opening = new AsyncLocalStorage<OpenBindings | undefined>();
