import { Hono } from 'hono';
import type { AppEnv } from '../context.ts';

export const auctions = new Hono<AppEnv>({ strict: false });
