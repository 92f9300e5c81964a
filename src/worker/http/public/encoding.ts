import { weightsOf } from '../request/accept.ts';

/**
 * RFC 9110, section 12.5.3. Where the platform replaces the header by its own, what the client sent is in `cf`. A
 * client that sent nothing gets nothing compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const weights = weightsOf(cf?.clientAcceptEncoding ?? request.headers.get('Accept-Encoding'));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
