import type { Context } from 'hono';
import { HonoBase } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';
import type { Meter } from '../../../base/database/meter.ts';
import { type Database, openDatabase } from '../../../base/database/open.ts';
import type { Env } from '../../../base/env.ts';
import { logUnexpected } from '../../../base/log.ts';
import { recordPresented } from '../../../party/credential/login.ts';
import type { Person } from '../../../party/registrant/token.ts';
import type { Login } from '../../../party/registrar/login.ts';
import type { System } from '../../../party/system/login.ts';
import { queueDeliveries } from '../../../party/webhook/outbox.ts';

export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    now: Date;
    meter: Meter;
    bookmark: string | undefined;
    session: D1DatabaseSession | undefined;
    database: Database | undefined;
    knownParameters: readonly string[] | undefined;
    /** Set in the registrar interface. The handler's first query verifies it. */
    login: Login;
    person: Person;
    system: System;
  };
}

export type AppContext = Context<AppEnv>;

/**
 * The request's database, opened at first use. A read with a bookmark may use any replica with that state. Other reads, and all writes, use the
 * primary.
 */
export function database(c: AppContext): Database {
  if (c.var.database) return c.var.database;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  // A session has a cost, so a read without a bookmark opens none and uses the primary.
  const session =
    isRead && !c.var.bookmark
      ? undefined
      : c.env.DB.withSession((isRead && c.var.bookmark) || 'first-primary');
  const opened = openDatabase(session ?? c.env.DB, c.var.meter);
  c.set('session', session);
  c.set('database', opened);
  return opened;
}

/** Continues the work after the response. A failure is logged. */
export function afterResponse(c: AppContext, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work.catch((error) => logUnexpected(error, c.var.requestId)));
}

/** Queues the registrar's deliveries after the response. A failure is logged, and the scheduled run repairs it. */
export function queueAfterResponse(c: AppContext, registrarId: number): void {
  const { DB, WEBHOOKS } = c.env;
  if (!WEBHOOKS) return;
  afterResponse(c, queueDeliveries(openDatabase(DB), WEBHOOKS, c.var.now, registrarId));
}

/** Whether a browser sends the request for a page of another site. */
export function isFromAnotherSite(c: AppContext): boolean {
  return c.req.header('Sec-Fetch-Site') === 'cross-site';
}

export function callerAddress(c: AppContext): string | undefined {
  return c.req.header('CF-Connecting-IP');
}

/** Uses the router that `hono` would choose here, without bundling its two others. */
export function newApp(): HonoBase<AppEnv> {
  return new HonoBase({ strict: false, router: new TrieRouter() });
}

/**
 * The SHA-256 fingerprint of the client's certificate, or null. The platform has verified its chain and revocation
 * (https://developers.cloudflare.com/ssl/client-certificates/client-certificate-variables/).
 */
export function clientCertificate(c: AppContext): string | null {
  const { cf } = c.req.raw as { cf?: Partial<IncomingRequestCfProperties> };
  const given = cf?.tlsClientAuth;
  const isGood =
    given?.certPresented === '1' && given.certVerified === 'SUCCESS' && given.certRevoked === '0';
  return (isGood && given.certFingerprintSHA256.toLowerCase()) || null;
}

/** Records after the response that a bound certificate was presented for the first time. */
export function recordPresentedAfterResponse(c: AppContext, id: number): void {
  afterResponse(c, recordPresented(openDatabase(c.env.DB), id, c.var.now));
}
