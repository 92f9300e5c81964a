import fc from 'fast-check';

/** Whatever a former registry may have kept as text: everything but a null character. */
export const dirtyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '"',
        ',',
        ';',
        '\n',
        '\r\n',
        '\r',
        '\t',
        "'",
        '\\',
        '{',
        '=',
        '\u0007',
        '#',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));
