import { type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Contact } from './contact.ts';

/** A row with `jsonOf` some columns: of one contact, or of several with commas between them. */
export interface JsonRow {
  json: string;
}

/**
 * The columns as one JSON text, because many short values take D1 longer to return than SQLite to find. D1 accepts 32
 * columns.
 */
export function jsonOf(columns: readonly (keyof Contact)[]): SQL {
  const values = columns.map((name) =>
    contacts[name].dataType === 'json' ? sql`json(${contacts[name]})` : sql`${contacts[name]}`,
  );
  return sql`json_array(${sql.join(values, sql`, `)})`;
}

/** The contacts in rows with `jsonOf` these columns. */
export function contactsIn<Column extends keyof Contact>(
  rows: readonly JsonRow[],
  columns: readonly Column[],
): Pick<Contact, Column>[] {
  const found: unknown[][] = JSON.parse(`[${rows.map(({ json }) => json).join()}]`);
  return found.map((values) => {
    const contact: Record<string, unknown> = {};
    columns.forEach((name, index) => {
      contact[name] = values[index];
    });
    return contact as Pick<Contact, Column>;
  });
}
