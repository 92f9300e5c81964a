import { messageOf } from './message.ts';

type Answer = Record<'status' | 'version' | 'build' | 'reason', string>;

/** Fetches `/health` of the service at the address, if any. `problem` is the reason of a failure. */
export async function askService(address: string | undefined) {
  const unknown = { address: address ?? null, version: null, build: null };
  if (address === undefined) return { ...unknown, status: 'not asked' };
  const url = new URL('/health', address).href;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const body = healthIn(await response.text());
    const { status, version = null, build = null, reason = 'not a health of the registry' } = body;
    if (response.ok && status === 'ok') return { address, status, version, build };
    const problem = `${url} answers ${response.status}: ${reason}`;
    return { address, status: 'failing', version, build, problem };
  } catch (error) {
    const problem = `${url} cannot be reached: ${messageOf(error)}`;
    return { ...unknown, status: 'failing', problem };
  }
}

/** Empty for what another service answers. */
function healthIn(text: string): Partial<Answer> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
