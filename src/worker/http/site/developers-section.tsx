import { publicLists, retainedList } from '../../../list/lists.ts';
import type { Surroundings } from './layout.tsx';
import { Section } from './section.tsx';

export function DevelopersSection({ text, origin }: Surroundings) {
  const { path } = publicLists[retainedList];
  const beside = [
    text.developersLead,
    <a href="/docs/">{text.reference}</a>,
    <a href="/docs/guide">{text.guide}</a>,
    <a href="/openapi.json">{text.openapi}</a>,
  ];
  return (
    <Section name="developers" text={text} beside={beside}>
      <p>{text.tryIt}</p>
      <div class="copyable">
        <pre>
          <code id="curl">{`curl --compressed '${origin}${path}?type=disputed'`}</code>
        </pre>
        <button
          type="button"
          hidden
          aria-live="polite"
          data-copies="curl"
          data-copied={text.copied}
        >
          {text.copy}
        </button>
      </div>
    </Section>
  );
}
