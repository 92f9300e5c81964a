import type { OpenBindings } from '../../src/tool/bindings.ts';
import { openKept } from './tool.ts';

/** A registry whose lists can be read but not written. */
export const withoutPublishing: OpenBindings = async (options, access) => {
  const { env, dispose } = await openKept(options, access);
  const put = () => Promise.reject(new Error('KV is down'));
  const LISTS = { list: env.LISTS.list.bind(env.LISTS), get: env.LISTS.get.bind(env.LISTS), put };
  return { env: { ...env, LISTS: LISTS as unknown as KVNamespace }, dispose };
};
