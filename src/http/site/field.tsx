import type { JSX } from 'hono/jsx/jsx-runtime';
import { maximumLength } from './view.ts';

type FieldParts = JSX.IntrinsicElements['input'] & {
  id: string;
  /** The parameter. */
  name: string;
  /** The text of the button beside it. */
  button: string;
};

/** A field for a name, or a part of one, and its button. */
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
