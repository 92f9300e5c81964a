import { Hono } from 'hono';
import type { AppEnv } from '../context.ts';

export const publicLists = new Hono<AppEnv>({ strict: false });
