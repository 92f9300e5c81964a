import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Context, Hono } from 'hono';
import { RegistryError } from '../base/error.ts';
import { currentTime } from '../base/time/clock.ts';
import type { CommonOptions } from '../tool/command.ts';
import { projectDirectory } from '../tool/project.ts';
import { openRegistry, type Registry } from '../tool/registry.ts';
import { messageOf } from '../view/message.ts';
import { contactPage } from './contact.tsx';
import { findPage } from './find.tsx';
import { requestPage } from './history.tsx';
import { renderPage, type ShowPage } from './page.tsx';
import { disclosurePage, namePage, registrarPage } from './things.tsx';
import { todayPage } from './today.tsx';

const pages: Record<string, ShowPage> = {
  '/': todayPage,
  '/find': findPage,
  '/name/:key': namePage,
  '/contact/:key': contactPage,
  '/registrar/:key': registrarPage,
  '/request/:key': requestPage,
  '/disclosure/:key': disclosurePage,
};

const files = [
  ['text/css', 'src/worker/http/static/assets/site.css'],
  ['text/css', 'src/worker/http/static/assets/page.css'],
  ['text/css', 'src/desk/desk.css'],
  ['text/javascript', 'src/desk/desk.js'],
  ['image/svg+xml', 'src/worker/http/static/assets/favicon.svg'],
] as const;

/** A local registry is opened for each page, so nobody else waits for its lock. */
export function deskPages(options: CommonOptions, deployed: Registry | undefined): Hono {
  const app = new Hono();
  for (const [type, file] of files) {
    const content = readFileSync(path.join(projectDirectory, file), 'utf8');
    app.get(`/${path.basename(file)}`, (c) => c.body(content, 200, { 'Content-Type': type }));
  }
  const queryOf = (c: Context) => (name: string) => c.req.query(name) ?? '';
  for (const [place, show] of Object.entries(pages)) {
    app.get(place, async (c) => {
      await using opened = new AsyncDisposableStack();
      const opening = deployed ?? (await openRegistry(options, opened));
      const request = { ...opening.origin.request, at: currentTime() };
      const registry = { ...opening, origin: { ...opening.origin, request } };
      const asked = { registry, options, key: c.req.param('key') ?? '', query: queryOf(c) };
      const page = await show(asked);
      return 'redirect' in page ? c.redirect(page.redirect) : c.html(await renderPage(page, asked));
    });
  }
  const fail = (c: Context, title: string, problem: string, status: 404 | 500) => {
    const page = { title, children: <p class="lead">{problem}</p>, next: [] };
    return c.html(renderPage(page, { options, query: queryOf(c) }), status);
  };
  app.notFound((c) => fail(c, 'Not found', 'The desk has no such page.', 404));
  app.onError((error, c) =>
    error instanceof RegistryError
      ? fail(c, 'Nothing to show', messageOf(error), 404)
      : fail(c, 'Failed', messageOf(error), 500),
  );
  return app;
}
