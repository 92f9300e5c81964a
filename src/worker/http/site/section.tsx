import type { Child } from 'hono/jsx';
import type { JSX } from 'hono/jsx/jsx-runtime';
import type { BrowsedName } from '../../../list/read/browse.ts';
import type { Language } from '../request/language.ts';
import type { sections } from './layout.tsx';
import type { Texts } from './texts.ts';
import { hrefOf, maximumLength } from './view.ts';

interface SectionParts {
  name: (typeof sections)[number];
  text: Texts;
  beside: readonly Child[];
  /** Undefined if it cannot be shown at the moment. */
  children: Child;
}

export function Section({ name, text, beside, children }: SectionParts) {
  return (
    <section id={name} aria-labelledby={`${name}-heading`}>
      <div class="about">
        <h2 id={`${name}-heading`}>{text[name]}</h2>
        {beside.map((paragraph) => paragraph && <p>{paragraph}</p>)}
      </div>
      <div class="body">{children ?? <p class="missing">{text.notNow}</p>}</div>
    </section>
  );
}

export function published(text: Texts, publishedAt: string | undefined) {
  if (!publishedAt) return undefined;
  const [day = '', time = ''] = publishedAt.split('T');
  const words = text.published(text.instant(day, time.slice(0, 5)));
  return <time datetime={publishedAt}>{words}</time>;
}

type NameParts = Pick<BrowsedName, 'name' | 'punycode'> & { language: Language };

export function NameCell({ language, name, punycode }: NameParts) {
  return (
    <th scope="row">
      <a href={hrefOf(language, { name })}>
        <bdi>{name}</bdi>
      </a>
      {punycode !== name && <span class="code"> {punycode}</span>}
    </th>
  );
}

type FieldParts = JSX.IntrinsicElements['input'] & {
  id: string;
  name: string;
  button: string;
};

export function Field({ button, ...input }: FieldParts) {
  return (
    <div class="field">
      <input
        {...input}
        maxlength={maximumLength}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <button type="submit">{button}</button>
    </div>
  );
}
