import { AuctionsSection } from './auctions-section.tsx';
import type { Content } from './content.ts';
import { DevelopersSection } from './developers-section.tsx';
import { renderDocument, type Surroundings } from './layout.tsx';
import { NameSection, titleOf } from './name-section.tsx';
import { RetainedSection } from './retained-section.tsx';
import { YearSection } from './year-section.tsx';

export function renderPage(page: Surroundings & Content & { isBehind: boolean }): string {
  const children = [
    page.isBehind && <p class="quiet">{page.text.isBehind}</p>,
    <NameSection {...page} />,
    <AuctionsSection {...page} />,
    <RetainedSection {...page} />,
    <YearSection {...page} />,
    <DevelopersSection {...page} />,
  ];
  return renderDocument({ ...page, title: titleOf(page), isLinked: true, children });
}
