import type { Response } from 'miniflare';
import { type DatabaseAnswer, databaseOver, tokenHeader } from './http-bindings.ts';

type Answer = DatabaseAnswer | { message: string };

/** The database that the lender lends. Its calls fail once the runtime has ended. */
export async function openLentDatabase(
  fetchLender: (address: string, init: { headers: Record<string, string> }) => Promise<Response>,
  token: string,
): Promise<D1Database> {
  const headers = { Upgrade: 'websocket', [tokenHeader]: token };
  const { status, webSocket } = await fetchLender('http://lender', { headers });
  if (!webSocket) throw new Error(`the lender of the database answered ${status}`);
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  let isOpen = true;
  webSocket.addEventListener('message', ({ data }) => {
    const { id, answer }: { id: number; answer: Answer } = JSON.parse(String(data));
    waiting.get(id)!(answer);
    waiting.delete(id);
  });
  const ended = { message: 'the local runtime has ended' };
  webSocket.addEventListener('close', () => {
    isOpen = false;
    for (const settle of waiting.values()) settle(ended);
  });
  webSocket.accept();
  return databaseOver(async (call) => {
    calls += 1;
    const id = calls;
    const answer = await new Promise<Answer>((resolve) => {
      if (!isOpen) return resolve(ended);
      waiting.set(id, resolve);
      webSocket.send(JSON.stringify({ id, call }));
    });
    if ('message' in answer) throw new Error(answer.message);
    return answer;
  });
}
