import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { generateWebhookSecret, signedHeaders } from '../../../src/party/registrar/webhook.ts';

/** Runs the receiver of the guide with this secret. Returns its address and what it prints. */
async function startReceiver(secret: string) {
  const guide = readFileSync('src/worker/http/README.md', 'utf8');
  const [, program] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(guide)!;
  const directory = mkdtempSync(path.join(tmpdir(), 'receiver-'));
  const file = path.join(directory, 'receiver.mjs');
  writeFileSync(file, program!);
  const port = await freePort();
  const receiver = spawn(process.execPath, [file, secret], { env: { PORT: String(port) } });
  onTestFinished(() => {
    receiver.kill();
    rmSync(directory, { recursive: true });
  });
  const printed: string[] = [];
  receiver.stdout.on('data', (data) => printed.push(String(data)));
  const url = `http://localhost:${port}/`;
  await vi.waitFor(() => fetch(url), 10_000);
  return { url, printed };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

test('the receiver of the guide takes what is signed with its secret, and nothing else', async () => {
  const [secret, other] = [generateWebhookSecret(), generateWebhookSecret()];
  const { url, printed } = await startReceiver(secret);
  const body = JSON.stringify({ type: 'webhook.test', data: {} });
  const answerTo = async (secrets: string[], at = new Date(), text = body) => {
    const headers = await signedHeaders(secrets, { id: 'msg_1', at, body });
    return (await fetch(url, { method: 'POST', headers, body: text })).status;
  };
  expect(await answerTo([secret])).toBe(204);
  expect(await answerTo([other, secret])).toBe(204);
  expect(await answerTo([other])).toBe(401);
  expect(await answerTo([secret], new Date(), `${body} `)).toBe(401);
  expect(await answerTo([secret], new Date(Date.now() - 301_000))).toBe(401);
  await vi.waitFor(() => expect(printed.join('').match(/webhook\.test/g)).toHaveLength(2));
});
