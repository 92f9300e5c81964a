/** A Worker beside the one under test: it runs statements on the same database for the tests, many in one request. */

export interface Call {
  statements: { sql: string; params: unknown[] }[];
  /** The rows of one statement as arrays; otherwise the results of all statements, in one batch. */
  isRaw: boolean;
  /** Where the session begins; undefined outside one. */
  session?: string | undefined;
}

export type Answer = { result: unknown; bookmark: string | null } | { error: string };

export default {
  async fetch(request, { DB }): Promise<Response> {
    const { statements, isRaw, session } = await request.json<Call>();
    try {
      const connection = session === undefined ? DB : DB.withSession(session);
      const prepared = statements.map(({ sql, params }) => connection.prepare(sql).bind(...params));
      const result = isRaw ? await prepared[0]!.raw() : await connection.batch(prepared);
      const bookmark = 'getBookmark' in connection ? connection.getBookmark() : null;
      return Response.json({ result, bookmark } satisfies Answer);
    } catch (error) {
      return Response.json({ error: (error as Error).message } satisfies Answer);
    }
  },
} satisfies ExportedHandler<{ DB: D1Database }>;
