import { Hono } from 'hono';

/** An application without a route. */
export default new Hono();
