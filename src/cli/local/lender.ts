import { type DatabaseAnswer, type DatabaseCall, tokenHeader } from './http-bindings.ts';

/** Runs the statements of one call in the runtime that has the database. */
export async function runStatements(
  db: D1Database,
  { statements, isRaw, session }: DatabaseCall,
): Promise<DatabaseAnswer> {
  const connection = session === undefined ? db : db.withSession(session);
  const prepared = statements.map(({ sql, params }) => connection.prepare(sql).bind(...params));
  const result = await (isRaw ? prepared[0]!.raw() : connection.batch(prepared));
  return { result, bookmark: 'getBookmark' in connection ? connection.getBookmark() : null };
}

/**
 * A Worker that lends its database to whoever knows the token: one request for a query or a batch, where the runtime's own
 * proxy of the binding takes several for each statement.
 */
export default {
  async fetch(request, { DB, TOOL_TOKEN }) {
    if (request.headers.get(tokenHeader) !== TOOL_TOKEN) return new Response(null, { status: 401 });
    try {
      return Response.json(await runStatements(DB, await request.json()));
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
} satisfies ExportedHandler<{ DB: D1Database; TOOL_TOKEN: string }>;
