import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers requests only after it was opened: the local Worker asks it before its first answer. */
export async function newGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    await opened;
    response.end();
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open };
}
