import worker from '../../index.ts';
import { lendBindings } from '../lend-bindings.ts';

export default lendBindings(worker);
