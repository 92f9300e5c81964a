import { type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { contractProblem } from '../worker/http/openapi/contract.ts';

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | Buffer[];
}
type Answered = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer };

/**
 * A request as it stands on the wire, for what `fetch` forbids or tidies up: its path is sent as it is, any
 * method goes, and a body given in pieces travels in chunks, without a `Content-Length`. Throws an Error if the answer is
 * not as the OpenAPI document says.
 */
export async function onTheWire(url: URL, path: string, sent: Sent = {}): Promise<Answered> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(url, path, sent);
    } catch (error) {
      // Who answers a large request before reading it all closes the connection, and the reset may overtake the answer.
      const isReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!isReset || attempt === 5 || !isLarge(sent.body)) throw error;
    }
  }
}

/** The local runtime's own answer if the connection to the Worker was reset. */
const lost = 'Error: Network connection lost.';

function resetBy(text: string): Error {
  return Object.assign(new Error(text), { code: 'ECONNRESET' });
}

function isLarge(body: Sent['body'] = ''): boolean {
  return (Array.isArray(body) ? Buffer.concat(body) : body).length >= 64 * 1024;
}

function sendOnce(
  url: URL,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Sent,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: url.hostname,
      port: url.port,
      method,
      path,
      headers,
      agent: false,
    });
    sent.on('error', reject);
    // The local runtime repeats a GET after a reset, though its body is spent, and then waits for ever.
    if (isLarge(body)) sent.setTimeout(5_000, () => sent.destroy(resetBy('no answer')));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status, headers } = response;
        const answered = { status: status!, headers, body: bytes.toString() };
        const isGzip = headers['content-encoding'] === 'gzip' && bytes.length > 0;
        const text = isGzip ? gunzipSync(bytes).toString() : answered.body;
        if (text.startsWith(lost)) reject(resetBy(text));
        const problem = contractProblem({ method, path }, { ...answered, body: text });
        if (problem) reject(new Error(`${method} ${path}: ${problem}`));
        else resolve({ ...answered, bytes });
      });
    });
    if (Array.isArray(body)) {
      for (const chunk of body) sent.write(chunk);
      sent.end();
    } else {
      sent.end(body.length > 0 ? body : undefined);
    }
  });
}
