import { newApp } from '../hono.ts';
import { systemLogin } from './login.ts';
import { internalNames } from './names.ts';
import { internalRegistrations } from './registrations.ts';

/** For the registry's own systems. */
export const internal = newApp();

internal.use(systemLogin);
internal.route('/names', internalNames);
internal.route('/names', internalRegistrations);
