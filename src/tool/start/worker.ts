import worker from '../../index.ts';
import { lendBindings } from '../local/lend-bindings.ts';

export default lendBindings(worker);
