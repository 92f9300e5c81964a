import { newApp } from '../request/hono.ts';
import { internalAuctions } from './auctions.ts';
import { internalChanges } from './changes.ts';
import { internalContacts } from './contacts.ts';
import { internalDomains } from './domains.ts';
import { systemLogin } from './login.ts';
import { internalNames } from './names.ts';
import { internalRetainedDomains } from './retained-domains.ts';

/** The registry's own systems call these. */
export const internal = newApp();

internal.use(systemLogin);
internal.route('/auctions', internalAuctions);
internal.route('/changes', internalChanges);
internal.route('/contacts', internalContacts);
internal.route('/domains', internalDomains);
internal.route('/names', internalNames);
internal.route('/retained_domains', internalRetainedDomains);
