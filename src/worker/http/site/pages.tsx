import { sha256Hex } from '../../../base/bytes/digest.ts';
import { RegistryError } from '../../../base/error.ts';
import { logUnexpected } from '../../../base/log.ts';
import { listNames } from '../../../list/lists.ts';
import { findLink, findLookup, findPolicies, findSupport, findZones } from '../../settings.ts';
import { type AppContext, newApp } from '../request/context.ts';
import { type Language, languages, preferredLanguage } from '../request/language.ts';
import { cacheHeaders, isKnown, readerOf } from '../request/public-list.ts';
import { publicOrigin } from '../request/public-origin.ts';
import { knowsOfLateLists } from '../request/recent.ts';
import { AuctionsSection } from './auctions-section.tsx';
import { type Content, isComplete, readContent } from './content.ts';
import { DevelopersSection } from './developers-section.tsx';
import { pageHeaders, renderDocument, type Surroundings } from './layout.tsx';
import { NameSection, type Places, pageSummary } from './name-section.tsx';
import { RetainedSection } from './retained-section.tsx';
import { texts } from './texts.ts';
import { readView, viewParameters } from './view.ts';
import { YearSection } from './year-section.tsx';

export const pages = newApp();

/** Each language has its own address, because shared caches know nothing of `Accept-Language`. */
pages.get('/', (c) => {
  c.set('knownParameters', viewParameters);
  const { search } = new URL(c.req.url);
  c.header('Vary', 'Accept-Language');
  return c.redirect(`/${preferredLanguage(c)}/${search}`);
});

for (const language of languages) {
  pages.get(`/${language}`, (c) => {
    c.set('knownParameters', viewParameters);
    return answerWithPage(c, language);
  });
}

async function answerWithPage(c: AppContext, language: Language): Promise<Response> {
  const { searchParams } = new URL(c.req.url);
  const view = readView(searchParams);
  const content = await readContent(view, findZones(c.env.ZONES), readerOf(c), (error) => {
    if (error instanceof RegistryError) throw error;
    logUnexpected(error as Error, c.var.requestId);
  });
  const text = texts[language];
  const areListsLate = knowsOfLateLists(c);
  const policies = findPolicies(c.env);
  const places = {
    auctionCentre: findLink(c.env.AUCTION_CENTRE_URL),
    disputes: findLink(c.env.DISPUTE_POLICY_URL) ?? findSupport(c.env.SUPPORT_URL),
    registrars: findLink(c.env.REGISTRARS_URL),
    lookUp: findLookup(c.env.LOOKUP_URL),
  };
  const surroundings = { language, text, origin: publicOrigin(c), view, policies, places };
  const document = renderPage({ ...surroundings, areListsLate, ...content });
  const headers = pageHeaders(language);
  const { answer, asOf } = content;
  if (answer?.isName === false || (answer && asOf.isNotPast)) return c.html(document, 400, headers);
  // No cache may keep a page that lacks a part.
  if (!isComplete(content)) {
    // `listed` is undefined while the lists cannot be read.
    return c.html(document, answer && !answer.listed ? 503 : 200, headers);
  }
  const etag = `W/"${(await sha256Hex(document)).slice(0, 32)}"`;
  const caching = cacheHeaders(listNames, etag);
  if (isKnown(c.req.raw, etag)) return c.body(null, 304, caching);
  return c.html(document, 200, { ...headers, ...caching });
}

type Page = Surroundings & Content & { places: Places; areListsLate: boolean };

function renderPage(page: Page): string {
  const children = [
    page.areListsLate && <p class="quiet">{page.text.listsAreLate}</p>,
    <NameSection {...page} />,
    <AuctionsSection {...page} />,
    <RetainedSection {...page} />,
    <YearSection {...page} />,
    <DevelopersSection {...page} />,
  ];
  return renderDocument({ ...page, ...pageSummary(page), isLinked: true, children });
}
