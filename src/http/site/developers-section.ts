import { html } from 'hono/html';
import { listNames, listPaths, publicLists, retainedList } from '../../public-list/lists.ts';
import type { Html, Surroundings } from './layout.ts';
import { renderSection } from './section.ts';

/** Where programs find what the page shows. */
export function renderDevelopersSection({ text, origin }: Surroundings): Html {
  const { path } = publicLists[retainedList];
  const addresses: [address: string, content: string, isLink: boolean][] = [
    ...listNames.map((list): [string, string, boolean] => {
      const { path, type } = publicLists[list];
      return [type === undefined ? path : `${path}?type=${type}`, text.lists[list], true];
    }),
    [`${path}/{name}`, text.oneName, false],
    ...listPaths.map((path): [string, string, boolean] => [
      `${path}/changes?since={etag}`,
      text.changes,
      false,
    ]),
  ];
  return renderSection(
    'developers',
    text,
    [
      text.developersLead,
      html`<a href="/docs/">${text.reference}</a>`,
      html`<a href="/openapi.json">${text.openapi}</a>`,
    ],
    html`<table class="addresses">
<thead><tr><th scope="col">${text.address}</th><th scope="col">${text.content}</th></tr></thead>
<tbody>
${addresses.map(
  ([address, content, isLink]) =>
    html`<tr><td><code>${isLink ? html`<a href="${address}">${address}</a>` : address}</code></td><td>${content}</td></tr>
`,
)}</tbody>
</table>
<p>${text.tryIt}</p>
<div class="copyable"><pre><code id="curl">curl --compressed '${origin}${path}?type=disputed'</code></pre><button type="button" hidden aria-live="polite" data-copies="curl" data-copied="${text.copied}">${text.copy}</button></div>`,
  );
}
