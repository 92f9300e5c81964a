/** Entity tags in a conditional request (RFC 9110, sections 8.8.3 and 13.1). */
interface EntityTag {
  opaque: string;
  isWeak: boolean;
}

/** One tag and everything up to the next comma. A tag may contain commas but no white space. */
const listedTag = /[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/y;

/** The tags of `If-Match` or `If-None-Match`; anything that is not a tag is skipped. */
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

/** Strong comparison, which `If-Match` requires: a weak tag matches nothing. `*` matches everything. */
export function matchesStrongly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return parseTags(header).some((tag) => !tag.isWeak && tag.opaque === opaque);
}

/** Weak comparison, which `If-None-Match` requires: it makes no difference whether a tag is weak. */
export function matchesWeakly(header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return parseTags(header).some((tag) => tag.opaque === opaque);
}
