import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Identification {
  id: string;
  link: string;
  status: 'pending' | 'completed' | 'expired';
  claims_required: { type: string; value: string }[];
  client_id: string;
  reference: string;
  result: Record<string, string>;
}

const clients = [
  { identType: 'priv', id: 'sandbox-priv', secret: 'sandbox-priv-secret' },
  { identType: 'birthday', id: 'sandbox-birthday', secret: 'sandbox-birthday-secret' },
];
const accessToken = 'sandbox-token';

const somebodyElse = {
  sub: 'EE60001019906',
  birthdate: '2000-01-01',
  name: 'Mary Änn',
  country: 'EE',
};

/**
 * Returns the registry's settings. Requests for which `intercept` returns true do not reach the
 * service.
 */
export async function startIdentityService(
  registry: () => string,
  intercept: (...call: Parameters<RequestListener>) => boolean = () => false,
): Promise<Record<string, string>> {
  const service = identityService(registry);
  const server = createServer(async (request, response) => {
    if (intercept(request, response)) return;
    try {
      const [status, body] = await service(request);
      const isPdf = typeof body === 'string';
      const type = isPdf ? 'application/pdf' : 'application/json';
      response.writeHead(status, { 'Content-Type': type });
      response.end(isPdf ? body : JSON.stringify(body));
    } catch {
      // A caller's mistake must not end the sandbox.
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return {
    IDENTITY_SERVICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    IDENTITY_SERVICE_CLIENTS: clients
      .map(({ identType, id, secret }) => `${identType}=${id}:${secret}`)
      .join(', '),
    IDENTITY_SERVICE_ALLOWED_IPS: '127.0.0.0/8, ::1',
  };
}

export function callbackOf(asked: Pick<Identification, 'id' | 'client_id' | 'reference'>) {
  const { id, client_id, reference } = asked;
  const body = JSON.stringify({ identification_request_id: id, client_id, reference });
  const { secret } = clients.find((client) => client.id === client_id)!;
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'Content-Type': 'application/json', 'X-HMAC-Signature': signature };
  return { method: 'POST', headers, body };
}

/** Imitates the identity service, with links to POST to as the README describes. */
function identityService(registry: () => string) {
  const requests = new Map<string, Identification>();

  async function identify(asked: Identification, query: URLSearchParams): Promise<object> {
    const outcome = query.get('outcome') ?? 'match';
    const matching = asked.claims_required.map(({ type, value }) => [type, value]);
    asked.result = outcome === 'mismatch' ? somebodyElse : Object.fromEntries(matching);
    asked.status = outcome === 'expired' ? 'expired' : 'completed';
    if (asked.status === 'expired' || query.get('callback') === 'no') return { callback: null };
    const webhook = `${registry()}/eeid/webhooks/identification_requests`;
    return { callback: (await fetch(webhook, callbackOf(asked))).status };
  }

  return async (request: IncomingMessage): Promise<[status: number, body: object | string]> => {
    const { authorization = '', host } = request.headers;
    const { pathname, searchParams } = new URL(request.url!, `http://${host}`);
    const isPost = request.method === 'POST';
    if (pathname === '/api/auth/v1/token') {
      const client = clients.find(
        ({ id, secret }) =>
          authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      );
      if (!client) return [401, { error: 'Invalid credentials' }];
      const token = { access_token: `${accessToken}.${client.id}`, token_type: 'Bearer' };
      return [201, { ...token, expires_in: 120 }];
    }
    const [, page, id = '', proof] =
      /^\/(identify|api\/ident\/v1\/identification_requests)(?:\/([\w-]+))?(\/proof_of_identity)?$/.exec(
        pathname,
      ) ?? [];
    const known = requests.get(id);
    if (page === 'identify' && isPost && known) {
      return [200, await identify(known, searchParams)];
    }
    if (!authorization.startsWith(`Bearer ${accessToken}.`))
      return [401, { error: 'Unauthorized' }];
    if (page && !id && isPost) {
      const asked = (await json(request)) as Pick<Identification, 'claims_required' | 'reference'>;
      if (asked.reference.endsWith(':TIMEOUT')) await new Promise(() => {});
      const id = randomUUID();
      const link = `http://${host}/identify/${id}`;
      const client_id = authorization.split('.')[1]!;
      const created = { ...asked, id, link, client_id, status: 'pending' as const, result: {} };
      requests.set(id, created);
      return [201, created];
    }
    if (proof && known?.status === 'completed') return [200, '%PDF-1.4\n%%EOF\n'];
    if (known && !proof) return [200, known];
    return [404, { error: 'Request not found' }];
  };
}
