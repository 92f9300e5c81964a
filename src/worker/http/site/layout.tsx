import type { Child } from 'hono/jsx';
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

/** In the order of the page. The names are the fragments of its address. */
export const sections = ['auctions', 'retained', 'year', 'developers'] as const;

interface Frame extends Surroundings {
  title: string;
  /** Whether the page has the same address in other languages. */
  isLinked: boolean;
  children: Child;
}

export function renderDocument(frame: Frame): string {
  return `<!doctype html>\n${<Document {...frame} />}\n`;
}

function Document(frame: Frame) {
  const { language, text, view, policies, title, isLinked, children } = frame;
  const home = hrefOf(language, {});
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={text.description} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/site.css" />
        <link rel="stylesheet" href="/assets/page.css" />
        <script src="/assets/page.js" defer />
        {isLinked ? <LinksToSelf {...frame} /> : <meta name="robots" content="noindex" />}
      </head>
      <body>
        <a class="skip" href="#main">
          {text.skip}
        </a>
        <header class="top">
          <a class="brand" href={home}>
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

function LinksToSelf({ language, origin, view }: Surroundings) {
  const canonical = hrefOf(language, view);
  const query = canonical.slice(hrefOf(language, {}).length);
  return (
    <>
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
