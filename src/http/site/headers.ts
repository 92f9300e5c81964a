import type { Language } from './language.ts';

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
