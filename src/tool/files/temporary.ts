import { mkdtempDisposableSync } from 'node:fs';
import { atInterrupt } from '../report/interrupt.ts';

/** Only the owner may enter it. Removed at the end of the scope, and at Ctrl-C. */
export function temporaryDirectory(prefix: string): Disposable & { path: string } {
  using making = new DisposableStack();
  const directory = making.use(mkdtempDisposableSync(prefix));
  making.use(atInterrupt(() => void directory.remove()));
  const made = making.move();
  return { path: directory.path, [Symbol.dispose]: () => made.dispose() };
}
