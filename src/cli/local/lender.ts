import { type DatabaseCall, tokenHeader } from './http-bindings.ts';

/** Runs the statements of one call in the runtime that has the database. */
export async function runStatements(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  { statements, isRaw }: DatabaseCall,
): Promise<unknown> {
  const prepared = statements.map(({ sql, params }) => db.prepare(sql).bind(...params));
  return isRaw ? prepared[0]!.raw() : db.batch(prepared);
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
