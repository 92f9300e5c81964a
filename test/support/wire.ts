import { type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { contractProblem } from '../http/openapi/contract.ts';

/**
 * A request as it stands on the wire, for what `fetch` forbids or tidies up: its path is sent as it is, any
 * method goes, and a body given in pieces travels in chunks, without a `Content-Length`. Throws an Error if the answer is
 * not as the OpenAPI document says.
 */
export function onTheWire(
  url: URL,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer | Buffer[] } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer }> {
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
