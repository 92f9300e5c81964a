/** One isolate of the runtime, as its inspector shows it (Chrome DevTools protocol). */
export interface Isolate {
  /** Bytes on the JavaScript heap and in the buffers that hang on it, garbage not yet collected included. */
  memoryBytes(): Promise<number>;
  close(): void;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize?: number;
  backingStorageSize?: number;
}

/** Attaches to the isolate of a Worker. */
export async function inspect(inspector: URL, worker: string): Promise<Isolate> {
  const listed = await fetch(new URL('/json', inspector.href.replace(/^ws/, 'http')));
  const targets = (await listed.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id }) => id === `core:user:${worker}`);
  if (!target) throw new Error(`the inspector knows no ${worker}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let calls = 0;
  return {
    memoryBytes() {
      const id = ++calls;
      return new Promise((resolve) => {
        socket.addEventListener('message', function receive({ data }) {
          const answer = JSON.parse(String(data)) as { id?: number; result: HeapUsage };
          if (answer.id !== id) return;
          socket.removeEventListener('message', receive);
          const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = answer.result;
          resolve(usedSize + embedderHeapUsedSize + backingStorageSize);
        });
        socket.send(JSON.stringify({ id, method: 'Runtime.getHeapUsage' }));
      });
    },
    close: () => socket.close(),
  };
}
