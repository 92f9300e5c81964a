import { parseAccept } from 'hono/utils/accept';

/**
 * Whether the client takes gzip (RFC 9110, section 12.5.3). Where the platform replaces the header by its own, what the
 * client sent is in `cf`; otherwise the header is the client's. A client that sent nothing gets nothing compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const header = cf?.clientAcceptEncoding ?? request.headers.get('Accept-Encoding');
  const accepted = parseAccept(header ?? '');
  const gzip =
    accepted.find(({ type }) => /^(x-)?gzip$/i.test(type)) ??
    accepted.find(({ type }) => type === '*');
  return gzip !== undefined && gzip.q > 0;
}
