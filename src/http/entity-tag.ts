/** Entity tags in a conditional request (RFC 9110, sections 8.8.3 and 13.1). */
interface EntityTag {
  opaque: string;
  isWeak: boolean;
}

/** One tag and what follows it up to the next comma: no white space within the tag, but commas are allowed. */
const listedTag = /[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/y;

/** The tags of `If-Match` or `If-None-Match`; what is no tag in it is passed over. */
function parseTags(header: string): EntityTag[] {
  const tags: EntityTag[] = [];
  for (let position = 0; position < header.length; ) {
    listedTag.lastIndex = position;
    const found = listedTag.exec(header);
    if (found) tags.push({ opaque: found[2] as string, isWeak: found[1] !== undefined });
    const end = found ? listedTag.lastIndex : header.indexOf(',', position) + 1;
    position = end || header.length;
  }
  return tags;
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
