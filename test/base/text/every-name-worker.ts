import { everyNameDigest } from './every-name.ts';

export default { fetch: () => Response.json(everyNameDigest()) };
