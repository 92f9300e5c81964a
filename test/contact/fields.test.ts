import { expect, test } from 'vitest';
import { changesRepresentation } from '../../src/change/history/changes.ts';
import { contactColumns, type Sender } from '../../src/contact/fields.ts';
import { openApiDocument } from '../../src/worker/http/document.openapi.ts';

/** The rules that hold for every field of a contact, the next one included. */

test('a client’s text with a control character, a lone surrogate or over 255 characters is refused in every field', () => {
  const takes = contactColumns.flatMap(([column, { rule, isList }]) =>
    rule && !isList
      ? ['a\u0007b', 'a\ud800', 'x'.repeat(256)]
          .filter((text) => rule().safeParse(text).success)
          .map((text) => [column, text])
      : [],
  );
  expect(takes).toEqual([]);
});

test('history and notifications call every field as the answers do', () => {
  const named = contactColumns.filter(([, { isContent }]) => isContent);
  for (const [column, { registrar, registrant, file }] of named) {
    const [shown] = Object.keys(changesRepresentation({ [column]: { removed: true } }));
    expect(shown).toBe(registrar ?? registrant ?? file);
  }
});

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

const { schemas } = JSON.parse(JSON.stringify(openApiDocument())).components;

/** The fields of a body that the document describes, those of its objects included. */
function described({ properties = {}, anyOf = [] }: Schema): string[] {
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description ? [name] : []),
    ...described(field),
  ]);
  return [...own, ...anyOf.flatMap(described)];
}

const sentBy = (sender: Sender) =>
  contactColumns
    .filter(([, field]) => field.sentBy.includes(sender))
    .map(([, { [sender]: path }]) => path!.split('.').at(-1));

test.each([
  ['ContactCreation', 'registrar'],
  ['ContactUpdate', 'registrar'],
  ['RegistrantContactUpdate', 'registrant'],
] as const)('in %s, the document describes every field that a %s may send', (body, sender) => {
  expect(described(schemas[body])).toEqual(expect.arrayContaining(sentBy(sender)));
});
