import {
  type DatabaseCall,
  runStatements,
  tokenHeader,
} from '../../src/tool/local/http-bindings.ts';

/** A call, which has an id because others may overtake it. */
export interface LenderCall {
  id: number;
  call: DatabaseCall;
  /** The constraint or the bookmark where the session begins; undefined outside one. */
  session?: string | undefined;
}

/** What the lender answers to a call; a message says why it failed. */
export type LenderAnswer = { result: unknown; bookmark: string | null } | { message: string };

/**
 * A Worker that lends its database to whoever knows the token: one message of a WebSocket for a query or a batch, where a
 * request would cost three times as much, and the runtime's own proxy of the binding takes several for each statement.
 */
export default {
  async fetch(request, { DB, TOOL_TOKEN }) {
    if (request.headers.get(tokenHeader) !== TOOL_TOKEN) return new Response(null, { status: 401 });
    const answerTo = async (message: string): Promise<string> => {
      const { id, call, session }: LenderCall = JSON.parse(message);
      const answer: LenderAnswer = await answerOf(DB, call, session).catch(({ message }) => ({
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

async function answerOf(db: D1Database, call: DatabaseCall, beginning: string | undefined) {
  if (beginning === undefined) return { result: await runStatements(db, call), bookmark: null };
  const session = db.withSession(beginning);
  return { result: await runStatements(session, call), bookmark: session.getBookmark() };
}
