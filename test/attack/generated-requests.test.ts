import http from 'node:http';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { deployed, type Runtime, service, startRuntime } from '../bench/runtime.ts';
import { startInProcess } from '../support/in-process/runtime.ts';
import type { Answered } from '../worker/http/openapi/contract.ts';
import { answerProblem } from './answer.ts';
import { brokenInvariants } from './invariants.ts';
import { logProblem } from './log-lines.ts';
import { loopback, requestTo, type Sent } from './requests.ts';
import { plant, type World } from './world.ts';

const requestsAtOnce = 20;
const requestsWanted = Number(process.env.ATTACK_REQUESTS ?? (inject('isDeep') ? 4_000 : 500));
/** Some more, for those that the runtime's own parser refuses. */
const rounds = Math.ceil((requestsWanted * 1.02) / requestsAtOnce);
/** Some ten times what an idle machine takes. */
const timeoutMilliseconds = 60_000 + 15 * requestsWanted;

let runtime: Pick<Runtime, 'env' | 'url' | 'stop'>;
let world: World;
const lines: string[] = [];
const agent = new http.Agent({ keepAlive: true, maxSockets: requestsAtOnce });

beforeAll(async () => {
  runtime = await start();
  world = await plant(runtime.env);
});

async function start(): Promise<typeof runtime> {
  const log = (line: string) => void lines.push(line);
  if (inject('isDeep')) return startRuntime([], [service], { log, bundle: inject('bundle') });
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(log);
  const { env, url, close } = await startInProcess('src/index.ts', { ...deployed, ZONES: 'ee' });
  return { env, url: () => url, stop: close };
}

afterAll(async () => {
  vi.restoreAllMocks();
  agent.destroy();
  await runtime.stop();
});

/** On a socket of the runtime's own, the path as it is. */
function exchange(request: Sent): Promise<Answered> {
  const { method, path } = request;
  const body = Buffer.from(request.body);
  // In the quick run, a front adds the address of loopback to requests that have none.
  const address = inject('isDeep') ? {} : { 'CF-Connecting-IP': 'none' };
  // Node tells the length of a body that a DELETE has only if it is told to.
  const headers = {
    ...address,
    ...request.headers,
    ...(body.length > 0 && { 'Content-Length': body.length }),
  };
  const { hostname, port } = runtime.url(service);
  return new Promise((resolve, reject) => {
    const sent = http.request({ hostname, port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    // A connection that was kept may have been closed in this very moment.
    sent.on('error', (error) => (sent.reusedSocket ? resolve(exchange(request)) : reject(error)));
    sent.end(body);
  });
}

/** The answer of the runtime's own parser, which has no body after `HEAD`. */
function isOfRuntime({ status, body, headers }: Answered): boolean {
  const text = 'invalid URI';
  const isBare = headers['content-length'] === String(text.length) && body === '';
  return status === 400 && headers['content-type'] === 'text/plain' && (body === text || isBare);
}

/** Somebody's data, or a secret, in an answer to another. */
function leak({ caller, method, headers }: Sent, { body, headers: answered }: Answered) {
  const told = `${JSON.stringify(answered)}\n${body}`;
  const isOwnHeader = headers.Authorization === caller.headers.Authorization;
  const marker = world.markers.find(
    ({ text, visibleTo }) =>
      told.includes(text) && !(isOwnHeader && visibleTo.includes(caller.mayUse)),
  );
  if (marker) return 'data of somebody else';
  if (world.secrets.some((secret) => told.includes(secret))) return 'a secret';
  if (method !== 'PATCH' && told.includes(world.registrationCode)) return 'a registration code';
  return undefined;
}

/** A success where the caller has no business. */
function intrusion({ caller, path, method, headers }: Sent, { status }: Answered) {
  if (status >= 300 || method === 'OPTIONS') return undefined;
  const isContact = /^\/(repp\/v1|api\/v1\/registrant)\/contacts(\/|$|\?)/.exec(path);
  if (isContact) {
    const isLetIn = caller.mayUse === (isContact[1] === 'repp/v1' ? 'registrar' : 'registrant');
    if (!isLetIn || headers.Authorization !== caller.headers.Authorization) {
      return `${caller.name} was let in`;
    }
  }
  const isInternal = path.startsWith('/api/v1/internal');
  const systems = [world.system, world.acting, world.beyond];
  const isSystem = systems.some((system) => headers.Authorization === system.headers.Authorization);
  if (isInternal && !isSystem) return `${caller.name} was let in`;
  const isClosed = /^\/api\/v1\/(auctions\/+[^/?]|registrant\/auth|internal)/.test(path);
  return isClosed && headers['CF-Connecting-IP'] !== loopback ? 'an address was let in' : undefined;
}

describe('generated requests', () => {
  it(
    'generated requests are answered in the form of their interface, with nothing of anybody else, and leave the database whole',
    async () => {
      let answered = 0;
      const several = fc.array(requestTo(world), {
        minLength: requestsAtOnce,
        maxLength: requestsAtOnce,
      });
      const result = await fc.check(
        fc.asyncProperty(several, async (requests) => {
          const answers = await Promise.all(requests.map(exchange));
          for (const [index, received] of answers.entries()) {
            const sent = requests[index] as Sent;
            // The runtime's own parser: the service never saw it.
            if (isOfRuntime(received)) continue;
            answered += 1;
            const problem =
              answerProblem(sent, received) ?? leak(sent, received) ?? intrusion(sent, received);
            if (problem) {
              const shown = JSON.stringify({ ...sent, answer: received }, null, 2).slice(0, 4_000);
              throw new Error(`${problem}\n${shown}`);
            }
          }
        }),
        // Requests that change the database fail once and not again: there is nothing to shrink towards.
        { numRuns: rounds, endOnFailure: true },
      );
      // Its own report would print the whole round.
      if (result.failed) throw result.errorInstance;
      expect(answered).toBeGreaterThanOrEqual(requestsWanted);
      expect(
        await brokenInvariants(runtime.env, { contacts: world.contacts, auctions: world.auctions }),
      ).toEqual([]);
      const db = openDatabase(runtime.env.DB);
      for (const planted of world.untouchable) {
        expect(await db.select().from(contacts).where(eq(contacts.id, planted.id))).toEqual([
          planted,
        ]);
      }
    },
    timeoutMilliseconds,
  );

  it('generated requests leave one line each in the log, with no body, credential, token, identity code, name or address in it', () => {
    const requestLines = lines.flatMap((line) => line.split('\n')).filter((line) => line !== '');

    expect(requestLines.length).toBeGreaterThanOrEqual(requestsWanted);
    expect(logProblem(requestLines, world)).toBeUndefined();
  });
});
