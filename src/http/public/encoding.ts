import { parseAccept } from 'hono/utils/accept';

/**
 * Whether the client takes gzip (RFC 9110, section 12.5.3). At the edge the header is the platform's own, and what
 * the client sent is in `cf`; a client that sent nothing gets nothing compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const header = cf ? cf.clientAcceptEncoding : request.headers.get('Accept-Encoding');
  const accepted = parseAccept(header ?? '');
  const gzip =
    accepted.find(({ type }) => /^(x-)?gzip$/i.test(type)) ??
    accepted.find(({ type }) => type === '*');
  return gzip !== undefined && gzip.q > 0;
}
