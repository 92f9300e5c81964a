/** Matches entity tags (RFC 9110, 8.8.3), which may contain commas but no white space. */
const listedTag = /(?:^|,)[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/g;

/** Strong comparison, for `If-Match`: a weak tag matches nothing. */
export function matchesStrongly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(
    ([, weak, tag]) => weak === undefined && tag === opaque,
  );
}

/** Weak comparison, for `If-None-Match`. */
export function matchesWeakly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(([, , tag]) => tag === opaque);
}
