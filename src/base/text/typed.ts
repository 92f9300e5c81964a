/** What is looked for. A code has nothing taken off: a registrar may be called TEL. */
export type Sought = 'text' | 'mailbox' | 'telephone';

/**
 * Reads what people type or paste into a search, a filter or an exact look-up: without what can't be seen, trimmed, with
 * one blank between words; a mailbox without `mailto:` and the name before it, a telephone number without `tel:`. Never
 * for a path or a write.
 */
export function typed(text: string, as: Sought = 'text'): string {
  const plain = text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replace(/\p{Zs}+/gu, ' ');
  if (as === 'telephone') return plain.replace(/^tel:\s*/i, '').replace(/;.*$/, '');
  return as === 'mailbox' ? mailboxIn(plain) : plain;
}

function mailboxIn(text: string): string {
  const [, inside = text] = /<([^<>]*@[^<>]*)>[\s;,]*$/.exec(text) ?? [];
  const [, address] = /^mailto:\s*([^?]*@[^?]*)/i.exec(inside) ?? [];
  return (address === undefined ? inside : decoded(address)).trim();
}

/** A URL may have any character of an address as an escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
