import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { Contact } from './contact.ts';
import { isCode, separatorText } from './identity-code.ts';

/*
 * Two questions about the persons of two contacts. Many people have the same birthday, and many contacts of a former
 * registry have no identity, or a code such as "-".
 */

/** How a contact's person is known. */
export type Identity = Pick<Contact, 'identCountryCode' | 'identKey' | 'identType'>;

type IdentityColumns = Record<'identCountryCode' | 'identType' | 'identKey', AnyColumn | SQL>;
type PersonColumns = IdentityColumns & Record<'nameKey', AnyColumn | SQL>;
type LineageColumns = Record<'id' | 'copiedFrom', AnyColumn | SQL>;

/** The id of the first contact of which this one is a copy, or its own. */
export const lineageOf = ({ id, copiedFrom }: LineageColumns): SQL =>
  sql`ifnull(${copiedFrom}, ${id})`;

const isSameLineage = (one: LineageColumns, other: LineageColumns): SQL =>
  sql`${lineageOf(one)} = ${lineageOf(other)}`;

/** With the plus, SQLite prefers an index of codes to one of countries. */
export const isSameIdentity = (one: IdentityColumns, other: IdentityColumns): SQL =>
  sql`${one.identKey} = ${other.identKey}
    and (+${one.identCountryCode}, +${one.identType}) = (${other.identCountryCode}, ${other.identType})`;

/** True unless the country is missing, or the code has nothing but separators. */
const isKnown = ({ identCountryCode, identKey }: IdentityColumns): SQL =>
  sql`${isCodeKey(identKey)} and +${identCountryCode} <> ''`;

export const isCodeKey = (key: AnyColumn | SQL): SQL =>
  sql`trim(${key}, '+' || ${separatorText}) <> ''`;

/**
 * True if both contacts certainly have the same holder: country and code are the same. A birthday or an unknown identity
 * is the same as its copies' and as nobody else's.
 */
export const isSameHolder = (
  one: IdentityColumns & LineageColumns,
  other: IdentityColumns & LineageColumns,
): SQL =>
  sql`(${isSameIdentity(one, other)} and (${isSameLineage(one, other)} or ${identifies(one)}))`;

/** True for an identity that one person has alone. */
export const identifies = (one: IdentityColumns): SQL =>
  sql`(${one.identType} <> 'birthday' and ${isKnown(one)})`;

/** As `identifies`. */
export const isOfOnePerson = ({ identType, identKey, identCountryCode }: Identity): boolean =>
  identType !== 'birthday' && identCountryCode !== '' && isCode(identKey);

/**
 * True if both contacts may have the same person: as `isSameHolder`, and for a birthday, if the names have the same key.
 */
export const isPerhapsSamePerson = (
  one: PersonColumns & LineageColumns,
  other: PersonColumns & LineageColumns,
): SQL =>
  sql`(${isSameIdentity(one, other)} and (${isSameLineage(one, other)} or ${identifies(one)}
    or (${one.identType} = 'birthday' and ${one.nameKey} = ${other.nameKey})))`;
