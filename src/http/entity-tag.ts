/** Entity tags in a conditional request (RFC 9110, 8.8.3 and 13.1): a tag may contain commas but no white space. */
const listedTag = /(?:^|,)[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/g;

/** Strong comparison, which `If-Match` requires: a weak tag matches nothing. `*` matches everything. */
export function matchesStrongly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(
    ([, weak, tag]) => weak === undefined && tag === opaque,
  );
}

/** Weak comparison, which `If-None-Match` requires: it makes no difference whether a tag is weak. */
export function matchesWeakly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(([, , tag]) => tag === opaque);
}
