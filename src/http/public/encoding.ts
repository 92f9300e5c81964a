import { weightsOf } from '../accept.ts';

/**
 * Whether the client takes gzip (RFC 9110, section 12.5.3). Where the platform replaces the header by its own, what the
 * client sent is in `cf`; otherwise the header is the client's. A client that sent nothing gets nothing compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const weights = weightsOf(cf?.clientAcceptEncoding ?? request.headers.get('Accept-Encoding'));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
