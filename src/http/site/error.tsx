import { type ErrorForm, statuses } from '../answer.ts';
import type { AppContext } from '../context.ts';
import { pageHeaders } from './headers.ts';
import { languageOf, preferredLanguage } from './language.ts';
import { renderDocument, type Surroundings } from './layout.tsx';
import { texts } from './texts.ts';
import { hrefOf, readView } from './view.ts';

/** A refusal as a small page. */
export const pageError: ErrorForm = (error, c) => {
  const around = surroundingsOf(c);
  const { text, language } = around;
  const status = statuses[error.reason];
  const [heading, explanation] = {
    404: [text.notFound, text.notFoundText],
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
  const title = `${heading} · ${text.siteName}`;
  const document = renderDocument({ ...around, title, isLinked: false, children });
  return c.html(document, status, pageHeaders(language));
};

/** An error page ignores the query of its address. */
function surroundingsOf(c: AppContext): Surroundings {
  const language = languageOf(c.req.path) ?? preferredLanguage(c);
  const view = readView(new URLSearchParams());
  return { language, text: texts[language], origin: new URL(c.req.url).origin, view };
}
