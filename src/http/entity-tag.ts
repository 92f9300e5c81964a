/** Entity tags in a conditional request (RFC 9110, sections 8.8.3 and 13.1). */
interface EntityTag {
  opaque: string;
  isWeak: boolean;
}

/** The tags of `If-Match` or `If-None-Match`; what is no tag in it is passed over. */
function parseTags(header: string): EntityTag[] {
  return [...header.matchAll(/(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, weak, opaque]) => ({
    opaque: opaque as string,
    isWeak: weak !== undefined,
  }));
}

/** Strong comparison, as `If-Match` wants it: a weak tag matches nothing. `*` matches whatever there is. */
export function matchesStrongly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return parseTags(header).some((tag) => !tag.isWeak && tag.opaque === opaque);
}

/** Weak comparison, as `If-None-Match` wants it: whether either is weak makes no difference. */
export function matchesWeakly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return parseTags(header).some((tag) => tag.opaque === opaque);
}
