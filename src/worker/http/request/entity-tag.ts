/** Matches entity tags (RFC 9110, 8.8.3), which may contain commas but no white space. */
const listedTag = /(?:^|,)[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/g;

/** Whether it is `*`, or one entity tag or several. */
export function isTagList(header: string): boolean {
  const rest = header.replace(listedTag, '');
  return header.trim() === '*' || (rest !== header && /^[\t ,]*$/.test(rest));
}

/** Whether the header names the tag. In the strong comparison, for `If-Match`, a weak tag matches nothing. */
export function matches(comparison: 'strong' | 'weak', header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(
    ([, weak, tag]) => tag === opaque && (comparison === 'weak' || weak === undefined),
  );
}
