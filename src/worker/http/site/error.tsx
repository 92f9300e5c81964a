import { findPolicies } from '../../settings.ts';
import { type ErrorForm, statuses } from '../request/answer.ts';
import { languageOf, preferredLanguage } from '../request/language.ts';
import { publicOrigin } from '../request/public-origin.ts';
import { pageHeaders, renderDocument } from './layout.tsx';
import { texts } from './texts.ts';
import { hrefOf, readView } from './view.ts';

export const pageError: ErrorForm = (error, c) => {
  const language = languageOf(c.req.path) ?? preferredLanguage(c);
  const text = texts[language];
  const status = statuses[error.reason];
  const [heading, explanation] = {
    404: [text.notFound, text.notFoundText],
    429: [text.throttled, text.throttledText],
    500: [text.failed, text.failedText(c.var.requestId)],
  }[status as number] ?? [text.refused, text.refusedText];
  const children = (
    <section class="ask" aria-labelledby="error-heading">
      <h1 id="error-heading">{heading}</h1>
      <p class="lead">{explanation}</p>
      <p class="back">
        <a href={hrefOf(language, {})}>{text.toStart}</a>
      </p>
    </section>
  );
  // An error page ignores the query of its address.
  const view = readView(new URLSearchParams());
  const origin = publicOrigin(c);
  const policies = findPolicies(c.env);
  const summary = { title: heading as string, description: text.description };
  const page = { language, text, origin, view, policies, ...summary, isLinked: false, children };
  return c.html(renderDocument(page), status, pageHeaders(language));
};
