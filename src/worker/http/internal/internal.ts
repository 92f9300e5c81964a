import { newApp } from '../request/context.ts';
import { internalChanges, internalContacts } from './changes.ts';
import { internalDomains } from './domains.ts';
import { systemLogin } from './login.ts';
import { internalAuctions, internalNames, internalRetainedDomains } from './names.ts';

export const internal = newApp();

internal.use(systemLogin);
internal.route('/auctions', internalAuctions);
internal.route('/changes', internalChanges);
internal.route('/contacts', internalContacts);
internal.route('/domains', internalDomains);
internal.route('/names', internalNames);
internal.route('/retained_domains', internalRetainedDomains);
