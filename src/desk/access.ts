import { logUnexpected } from '../base/log.ts';

/** Undefined for everybody whom the expected application of Access has not identified by an e-mail address. */
export async function emailOf(
  access: CloudflareAccessContext | undefined,
  audience: string | undefined,
): Promise<string | undefined> {
  if (!audience || access?.aud !== audience) return undefined;
  try {
    return (await access.getIdentity())?.email || undefined;
  } catch (error) {
    logUnexpected(error, undefined);
    return undefined;
  }
}
