import type { Child } from 'hono/jsx';
import { feedPath } from '../../../list/lists.ts';
import type { findPolicies } from '../../settings.ts';
import { type Language, languages } from '../request/language.ts';
import { type Texts, texts } from './texts.ts';
import { hrefOf, type View } from './view.ts';

export interface Surroundings {
  language: Language;
  text: Texts;
  origin: string;
  view: View;
  policies: ReturnType<typeof findPolicies>;
}

/** What a search engine or a messenger shows of a page. */
export interface Summary {
  title: string;
  description: string;
}

/** In the order of the page. The names are the fragments of its address. */
export const sections = ['auctions', 'retained', 'year', 'developers'] as const;

interface Frame extends Surroundings, Summary {
  isLinked: boolean;
  children: Child;
}

export function renderDocument(frame: Frame): string {
  return `<!doctype html>\n${<Document {...frame} />}\n`;
}

function Document(frame: Frame) {
  const { language, text, view, policies, title, description, isLinked, children } = frame;
  const home = hrefOf(language, {});
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${text.siteName}`}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/site.css" />
        <link rel="stylesheet" href="/assets/page.css" />
        <link rel="alternate" type="application/atom+xml" title={text.asFeed} href={feedPath} />
        <script src="/assets/page.js" defer />
        {isLinked ? <LinksToSelf {...frame} /> : <meta name="robots" content="noindex" />}
      </head>
      <body>
        <a class="skip" href="#main">
          {text.skip}
        </a>
        <header class="top">
          <a class="brand" href={home}>
            <img src="/assets/favicon.svg" alt="" width={24} height={24} />
            {text.siteName}
          </a>
          <nav class="languages" aria-label={text.languages}>
            <a href="/docs/">{text.reference}</a>
            {languages
              .filter((other) => other !== language)
              .map((other) => (
                <a href={hrefOf(other, view)} lang={other} hreflang={other}>
                  {texts[other].languageName}
                </a>
              ))}
          </nav>
          <nav class="sections" aria-label={text.sections}>
            {sections.map((section) => (
              <a href={`${isLinked ? '' : home}#${section}`}>{text.short[section]}</a>
            ))}
          </nav>
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer class="bottom">
          <p>{text.siteName}</p>
          <p>{text.footer}</p>
          {policies.map(({ policy, url }) => (
            <p>
              <a href={url}>{text.policies[policy]}</a>
            </p>
          ))}
        </footer>
      </body>
    </html>
  );
}

function LinksToSelf({ language, text, origin, view, title, description }: Frame) {
  const canonical = hrefOf(language, view);
  const query = canonical.slice(hrefOf(language, {}).length);
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={text.siteName} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <link rel="canonical" href={`${origin}${canonical}`} />
      {languages.map((other) => (
        <link rel="alternate" hreflang={other} href={`${origin}${hrefOf(other, view)}`} />
      ))}
      <link rel="alternate" hreflang="x-default" href={`${origin}/${query}`} />
    </>
  );
}

/** Everything that a page needs comes from its own host, and nothing is written into the document itself. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function pageHeaders(language: Language): Record<string, string> {
  return {
    'Content-Language': language,
    'Content-Security-Policy': contentSecurityPolicy,
  };
}
