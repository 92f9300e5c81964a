import { type Context, Hono } from 'hono';
import { RegistryError } from '../base/error.ts';
import { currentTime } from '../base/time/clock.ts';
import { messageOf } from '../view/message.ts';
import { showTimesIn } from '../view/words.ts';
import { contactPage } from './contact.tsx';
import { findPage } from './find.tsx';
import { requestPage } from './history.tsx';
import { looksPage } from './looks.tsx';
import { type DeskPlace, renderPage, type ShowPage } from './page.tsx';
import { personPage } from './person.tsx';
import { disclosurePage, namePage, registrarPage } from './things.tsx';
import { todayPage } from './today.tsx';

const pages: Record<string, ShowPage> = {
  '/': todayPage,
  '/find': findPage,
  '/name/:key': namePage,
  '/contact/:key': contactPage,
  '/looks/:key': looksPage,
  '/person/:key': personPage,
  '/registrar/:key': registrarPage,
  '/request/:key': requestPage,
  '/disclosure/:key': disclosurePage,
};

/** Routes may be added, such as those of the files that the pages load. */
export function deskPages(place: DeskPlace): Hono {
  const app = new Hono();
  const queryOf = (c: Context) => (name: string) => c.req.query(name) ?? '';
  for (const [path, show] of Object.entries(pages)) {
    app.get(path, async (c) => {
      await using opened = new AsyncDisposableStack();
      const opening = await place.open(opened);
      showTimesIn(opening.env);
      const request = { ...opening.origin.request, at: currentTime() };
      const registry = { ...opening, origin: { ...opening.origin, request } };
      const asked = { registry, place, key: c.req.param('key') ?? '', query: queryOf(c) };
      const page = await show(asked);
      await place.record?.(registry, page.shows);
      return 'redirect' in page ? c.redirect(page.redirect) : c.html(await renderPage(page, asked));
    });
  }
  const fail = async (c: Context, title: string, problem: string, status: 404 | 500) => {
    const page = { title, children: <p class="lead">{problem}</p>, next: [] };
    return c.html(await renderPage(page, { place, query: queryOf(c) }), status);
  };
  app.notFound((c) => fail(c, 'Not found', 'The desk has no such page.', 404));
  app.onError((error, c) => {
    if (error instanceof RegistryError) return fail(c, 'Nothing to show', messageOf(error), 404);
    place.log?.(error);
    return fail(c, 'Failed', messageOf(error), 500);
  });
  return app;
}
