import type { Context } from 'hono';
import type { Meter } from '../database/meter.ts';
import { type Database, openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import type { Person } from '../registrant/token.ts';
import type { Login } from '../registrar/login.ts';

/** What a handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    now: Date;
    meter: Meter;
    /** How much of the database the client has seen, as D1 says it. */
    bookmark: string | undefined;
    session: D1DatabaseSession | undefined;
    database: Database | undefined;
    /** Registrar interface: who claims to call. */
    login: Login;
    /** Registrant interface: who calls. */
    person: Person;
  };
}

export type AppContext = Context<AppEnv>;

/**
 * The request's database, opened at first use: for a read any replica that has what the client has seen; the primary
 * for a client that does not say, and for every write, so that it is judged by what is true and not by what was.
 */
export function database(c: AppContext): Database {
  if (c.var.database) return c.var.database;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  // A session has a price, so a read begins none by itself: without one, D1 asks the primary.
  const session =
    isRead && !c.var.bookmark
      ? undefined
      : c.env.DB.withSession((isRead && c.var.bookmark) || 'first-primary');
  const opened = openDatabase(session ?? c.env.DB, c.var.meter);
  c.set('session', session);
  c.set('database', opened);
  return opened;
}

/** The caller's address, which the edge sets; undefined where nothing has set it. */
export function callerAddress(c: AppContext): string | undefined {
  return c.req.header('CF-Connecting-IP');
}
