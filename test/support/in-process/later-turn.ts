const { setImmediate } = globalThis;

/** A later turn of the event loop, in which a binding answers. Clocks that a test stops don't stop it. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
