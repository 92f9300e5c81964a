import { html } from 'hono/html';
import { renderAuctionsSection } from './auctions-section.ts';
import type { Content } from './content.ts';
import { renderDevelopersSection } from './developers-section.ts';
import { type Html, renderDocument, type Surroundings } from './layout.ts';
import { renderNameSection, titleOf } from './name-section.ts';
import { renderRetainedSection } from './retained-section.ts';
import { renderYearSection } from './year-section.ts';

/** The page with what its address asks for. */
export function renderPage(around: Surroundings, content: Content): Html {
  return renderDocument(around, {
    title: titleOf(content.answer, around.text),
    isLinked: true,
    main: html`${renderNameSection(around, content.answer)}
${renderAuctionsSection(around, content)}
${renderRetainedSection(around, content)}
${renderYearSection(around, content)}
${renderDevelopersSection(around)}`,
  });
}
