import worker from '../../index.ts';
import { lendBindings } from '../local/lend-bindings.ts';

/** The Worker that `npm start` runs. */
export default lendBindings(worker);
