import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contactColumns, type Sender } from '../../src/contact/fields.ts';
import { shownChanges } from '../../src/history/changes.ts';

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
  for (const [column, { registrar, registrant }] of named) {
    const [shown] = Object.keys(shownChanges({ [column]: { removed: true } }));
    expect(shown).toBe(registrar ?? registrant);
  }
});

const documentation = readFileSync('src/http/README.md', 'utf8');

/** The names that stand in code between a text and the next one. */
function namesBetween(start: string, end: string): string[] {
  const [, part = ''] = documentation.split(start);
  return [...part.split(end)[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
}

const sentBy = (sender: Sender) =>
  contactColumns
    .filter(([, field]) => field.sentBy.includes(sender))
    .map(([, { [sender]: path }]) => path!.split('.').at(-1));

test.each([
  ['the table of contact fields', 'registrar', '### Contact fields', '### '],
  ['the paragraph about a create', 'registrar', '**Create.**', '```'],
  ['the paragraph about a registrant’s update', 'registrant', 'All fields are optional:', '```'],
] as const)('%s names every field that a %s may send', (_, sender, start, end) => {
  expect(namesBetween(start, end)).toEqual(expect.arrayContaining(sentBy(sender)));
});
