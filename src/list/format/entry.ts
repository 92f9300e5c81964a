import type { ListedStatus, NameStatus } from '../lists.ts';

export interface ListEntry {
  name: string;
  json: string;
}

export type ListEntryRow = [name: string, punycode: string, status: NameStatus];

/** The field names are the public interface's. */
export function entryStart(name: string, isInAuction: boolean): string {
  return `{"${isInAuction ? 'domain_name' : 'name'}":${JSON.stringify(name)},`;
}

export function entryOf([name, punycode, status]: ListEntryRow): ListEntry {
  const json =
    status === 'auction'
      ? `${entryStart(name, true)}"punycode_domain_name":${JSON.stringify(punycode)}}`
      : `${entryStart(name, false)}"status":"${status}","punycode_name":${JSON.stringify(punycode)}}`;
  return { name, json };
}

/** Turns entries that commas separate back into the rows of `entryOf`. */
export function parseRows(text: string): ListEntryRow[] {
  const objects: (AuctionObject | RetainedObject)[] = JSON.parse(`[${text}]`);
  return objects.map((object) =>
    'domain_name' in object
      ? [object.domain_name, object.punycode_domain_name, 'auction']
      : [object.name, object.punycode_name, object.status],
  );
}

interface AuctionObject {
  domain_name: string;
  punycode_domain_name: string;
}

interface RetainedObject {
  name: string;
  status: ListedStatus;
  punycode_name: string;
}

export interface BrowsedName {
  name: string;
  punycode: string;
  /** Alphabetical; empty in the list of auctions. */
  statuses: ListedStatus[];
}

export function namesOf(rows: readonly ListEntryRow[]): BrowsedName[] {
  const names: BrowsedName[] = [];
  for (const [name, punycode, status] of rows) {
    const statuses = status === 'auction' ? [] : [status];
    const last = names.at(-1);
    if (last?.name === name) last.statuses.push(...statuses);
    else names.push({ name, punycode, statuses });
  }
  return names;
}

/** Compares UTF-8 bytes, as SQLite does. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/** Surrogates encode characters above U+FFFF, which in UTF-8 come after all others. */
function utf8Rank(codeUnit: number): number {
  if (codeUnit >= 0xe000) return codeUnit - 0x800;
  return codeUnit >= 0xd800 ? codeUnit + 0x2000 : codeUnit;
}
