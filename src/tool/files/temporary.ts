import { mkdtempDisposableSync } from 'node:fs';
import { atInterrupt } from '../report/interrupt.ts';

/** Makes a directory whose path begins with the prefix, for its owner alone. It goes with its scope, and at Ctrl-C. */
export function temporaryDirectory(prefix: string): Disposable & { path: string } {
  using making = new DisposableStack();
  const directory = making.use(mkdtempDisposableSync(prefix));
  making.use(atInterrupt(() => void directory.remove()));
  const made = making.move();
  return { path: directory.path, [Symbol.dispose]: () => made.dispose() };
}
