import {
  type DatabaseAnswer,
  type DatabaseCall,
  tokenHeader,
} from '../../src/cli/local/http-bindings.ts';
import { runStatements } from '../../src/cli/local/lender.ts';

/** What the lender answers to a call; a message says why it failed. */
export type LenderAnswer = DatabaseAnswer | { message: string };

/**
 * A Worker that lends its database to whoever knows the token: one message of a WebSocket for a query or a batch, where a
 * request would cost three times as much, and the runtime's own proxy of the binding takes several for each statement.
 */
export default {
  async fetch(request, { DB, TOOL_TOKEN }) {
    if (request.headers.get(tokenHeader) !== TOOL_TOKEN) return new Response(null, { status: 401 });
    const answerTo = async (message: string): Promise<string> => {
      const { id, call }: { id: number; call: DatabaseCall } = JSON.parse(message);
      const answer: LenderAnswer = await runStatements(DB, call).catch(({ message }) => ({
        message,
      }));
      return JSON.stringify({ id, answer });
    };
    if (request.method === 'POST') return new Response(await answerTo(await request.text()));
    const { 0: tool, 1: socket } = new WebSocketPair();
    socket.accept();
    socket.addEventListener('message', async ({ data }) => {
      socket.send(await answerTo(String(data)));
    });
    return new Response(null, { status: 101, webSocket: tool });
  },
} satisfies ExportedHandler<{ DB: D1Database; TOOL_TOKEN: string }>;
