import { html } from 'hono/html';
import type { Html } from './layout.ts';
import { maximumLength } from './view.ts';

interface Field {
  id: string;
  /** The parameter. */
  name: string;
  value: string;
  /** What the button beside it says. */
  button: string;
  /** More attributes. */
  more?: Html | false;
}

/** A field for a name, or a part of one, and its button. */
export function renderField({ id, name, value, button, more }: Field): Html {
  const input = html`<input id="${id}" name="${name}" value="${value}" maxlength="${maximumLength}" autocomplete="off" autocapitalize="none" spellcheck="false"${more}>`;
  return html`<div class="field">${input}<button>${button}</button></div>`;
}
