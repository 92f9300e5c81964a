import { type IncomingHttpHeaders, request } from 'node:http';

/**
 * A request as it stands on the wire, for what `fetch` forbids or tidies up: its path is sent as it is, any
 * method goes, and a body given in pieces travels in chunks, without a `Content-Length`.
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
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: bytes.toString(),
          bytes,
        });
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
