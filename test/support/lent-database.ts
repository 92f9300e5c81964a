import type { RequestInit, Response } from 'miniflare';
import {
  type DatabaseCall,
  databaseOver,
  tokenHeader,
} from '../../src/tool/local/http-bindings.ts';
import type { LenderAnswer, LenderCall } from './lender.ts';

/** The runtime closes a WebSocket after a message of more than 32 MiB; a character has at most three bytes. */
const maximumMessageLength = 10_000_000;

/** The database that the lender lends. Its calls fail once the runtime has ended. */
export async function openLentDatabase(
  fetchLender: (address: string, init: RequestInit) => Promise<Response>,
  token: string,
): Promise<D1Database> {
  const address = 'http://lender';
  const headers = { [tokenHeader]: token };
  const { status, webSocket: socket } = await fetchLender(address, {
    headers: { ...headers, Upgrade: 'websocket' },
  });
  if (!socket) throw new Error(`the lender of the database answered ${status}`);
  const waiting = new Map<number, (answer: LenderAnswer) => void>();
  let calls = 0;
  let isOpen = true;
  socket.addEventListener('message', ({ data }) => {
    const { id, answer }: { id: number; answer: LenderAnswer } = JSON.parse(String(data));
    waiting.get(id)!(answer);
    waiting.delete(id);
  });
  const ended = { message: 'the local runtime has ended' };
  socket.addEventListener('close', () => {
    isOpen = false;
    for (const settle of waiting.values()) settle(ended);
  });
  socket.accept();

  const ask = async (call: DatabaseCall, session?: string): Promise<LenderAnswer> => {
    if (!isOpen) return ended;
    calls += 1;
    const id = calls;
    const message = JSON.stringify({ id, call, session } satisfies LenderCall);
    if (message.length > maximumMessageLength) {
      const response = await fetchLender(address, { method: 'POST', headers, body: message });
      return ((await response.json()) as { answer: LenderAnswer }).answer;
    }
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.send(message);
    });
  };

  return databaseOfCalls(ask);
}

/** A database over calls, which are outside sessions, or in one that begins at a constraint or a bookmark. */
export function databaseOfCalls(
  ask: (call: DatabaseCall, session?: string) => Promise<LenderAnswer>,
): D1Database {
  const connect = (session?: string) => {
    let place = session;
    const { prepare, batch } = databaseOver(async (call) => {
      const answer = await ask(call, place);
      if ('message' in answer) throw new Error(answer.message);
      if (session !== undefined) place = answer.bookmark ?? place;
      return answer.result;
    });
    return { prepare, batch, getBookmark: () => (place?.startsWith('first-') ? null : place) };
  };
  const { prepare, batch } = connect();
  const withSession = (constraint = 'first-unconstrained') => connect(constraint);
  return { prepare, batch, withSession } as unknown as D1Database;
}
