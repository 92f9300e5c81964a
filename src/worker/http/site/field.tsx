import type { JSX } from 'hono/jsx/jsx-runtime';
import { maximumLength } from './view.ts';

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
