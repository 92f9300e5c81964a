import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A request that the stand-in was sent, as the service shows it. */
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

/** Whom the stand-in has identified, if it is somebody other than the contact. */
const somebodyElse = {
  sub: 'EE60001019906',
  birthdate: '2000-01-01',
  name: 'Mary Änn',
  country: 'EE',
};

/** The settings of a registry that asks the stand-in at this address. */
export function settingsFor(url: string): Record<string, string> {
  return {
    IDENTITY_SERVICE_URL: url,
    IDENTITY_SERVICE_CLIENTS: clients
      .map(({ identType, id, secret }) => `${identType}=${id}:${secret}`)
      .join(', '),
    IDENTITY_SERVICE_ALLOWED_IPS: '127.0.0.0/8, ::1',
  };
}

/** Starts the stand-in on this machine, for the registry at this address, and returns the settings of the registry. */
export async function startIdentityService(registry: string): Promise<Record<string, string>> {
  const service = identityService(() => registry);
  const server = createServer((request, response) => {
    // A program's mistake must not end the sandbox.
    service(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** The call by which the service says that a request is completed. */
export function callbackOf({
  id,
  client_id,
  reference,
}: Pick<Identification, 'id' | 'client_id' | 'reference'>) {
  const body = JSON.stringify({ identification_request_id: id, client_id, reference });
  const { secret } = clients.find((client) => client.id === client_id)!;
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'Content-Type': 'application/json', 'X-HMAC-Signature': signature };
  return { method: 'POST', headers, body };
}

/**
 * Listens as the identity service does, and for who is to be identified: a POST to the link of a request completes it and
 * calls the registry back, with `?outcome=mismatch` as somebody else, with `?callback=no` silently; `?outcome=expired` ends
 * it. Contacts whose code ends in `:TIMEOUT` are never answered about.
 */
export function identityService(registry: () => string) {
  const requests = new Map<string, Identification>();

  async function create(request: IncomingMessage): Promise<Identification | undefined> {
    const [, client_id = ''] = request.headers.authorization!.split('.');
    const given = (await json(request)) as Pick<Identification, 'claims_required' | 'reference'>;
    if (given.reference.endsWith(':TIMEOUT')) return undefined;
    const id = randomUUID();
    const link = `http://${request.headers.host}/identify/${id}`;
    const created = { ...given, id, link, client_id, status: 'pending', result: {} } as const;
    requests.set(id, created);
    return created;
  }

  async function identify(asked: Identification, query: URLSearchParams): Promise<object> {
    const outcome = query.get('outcome') ?? 'match';
    const matching = asked.claims_required.map(({ type, value }) => [type, value]);
    asked.result = outcome === 'mismatch' ? somebodyElse : Object.fromEntries(matching);
    asked.status = outcome === 'expired' ? 'expired' : 'completed';
    if (asked.status === 'expired' || query.get('callback') === 'no') return { callback: null };
    const path = '/eeid/webhooks/identification_requests';
    return { callback: (await fetch(registry() + path, callbackOf(asked))).status };
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const answer = (status: number, body: object | string) => {
      const isPdf = typeof body === 'string';
      const type = isPdf ? 'application/pdf' : 'application/json';
      response.writeHead(status, { 'Content-Type': type });
      response.end(isPdf ? body : JSON.stringify(body));
    };
    const client = clients.find(
      ({ id, secret }) => headers.authorization === `Basic ${btoa(`${id}:${secret}`)}`,
    );
    const [, id = '', proof] =
      /^\/(?:identify|api\/ident\/v1\/identification_requests)\/([\w-]+)(\/proof_of_identity)?$/.exec(
        pathname,
      ) ?? [];
    const known = requests.get(id);
    if (pathname === '/api/auth/v1/token') {
      if (!client) return answer(401, { error: 'Invalid credentials' });
      const token = `${accessToken}.${client.id}`;
      return answer(201, { access_token: token, token_type: 'Bearer', expires_in: 120 });
    }
    if (pathname.startsWith('/identify/') && method === 'POST' && known) {
      return answer(200, await identify(known, searchParams));
    }
    if (!headers.authorization?.startsWith(`Bearer ${accessToken}.`)) {
      return answer(401, { error: 'Unauthorized' });
    }
    if (pathname === '/api/ident/v1/identification_requests' && method === 'POST') {
      const created = await create(request);
      if (created) answer(201, created);
    } else if (proof && known?.status === 'completed') answer(200, '%PDF-1.4\n%%EOF\n');
    else if (known && !proof) answer(200, known);
    else answer(404, { error: 'Request not found' });
  };
}
