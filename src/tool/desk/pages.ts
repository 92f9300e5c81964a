import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Hono } from 'hono';
import { deskPages } from '../../desk/desk.tsx';
import { type CommonOptions, commandLine } from '../command.ts';
import { watchedOf } from '../nouns/health.ts';
import { projectDirectory } from '../project.ts';
import { openRegistry, type Registry } from '../registry.ts';

const files = [
  ['text/css', 'src/worker/http/static/assets/site.css'],
  ['text/css', 'src/worker/http/static/assets/page.css'],
  ['text/css', 'src/desk/desk.css'],
  ['text/javascript', 'src/desk/copy.js'],
  ['image/svg+xml', 'src/worker/http/static/assets/favicon.svg'],
] as const;

/** A local registry is opened for each page, so nobody else waits for its lock. */
export function loopbackPages(options: CommonOptions, deployed: Registry | undefined): Hono {
  const { remote, env = 'production' } = options;
  const app = deskPages({
    title: `${remote ? `deployed registry, ${env}` : 'local registry'}: looks are not recorded`,
    open: async (opened) => watchedOf(deployed ?? (await openRegistry(options, opened)), options),
    // Its user can read the database anyway.
    record: undefined,
    commandLine: (words) => commandLine(words, options),
  });
  for (const [type, file] of files) {
    const content = readFileSync(path.join(projectDirectory, file), 'utf8');
    app.get(`/${path.basename(file)}`, (c) => c.body(content, 200, { 'Content-Type': type }));
  }
  return app;
}
