import { type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Contact } from './contact.ts';

/** A row of `jsonOf`; several contacts are joined by commas. */
export interface JsonRow {
  json: string;
}

/**
 * One JSON text, because D1 needs more time to return many short values than SQLite to find them. D1 accepts 32
 * columns.
 */
export function jsonOf(columns: readonly (keyof Contact)[]): SQL {
  const values = columns.map((name) =>
    contacts[name].dataType === 'json' ? sql`json(${contacts[name]})` : sql`${contacts[name]}`,
  );
  return sql`json_array(${sql.join(values, sql`, `)})`;
}

export function parseContacts<Column extends keyof Contact>(
  rows: readonly JsonRow[],
  columns: readonly Column[],
): Pick<Contact, Column>[] {
  const valueLists: unknown[][] = JSON.parse(`[${rows.map(({ json }) => json).join()}]`);
  return valueLists.map((values) => {
    const contact: Record<string, unknown> = {};
    columns.forEach((name, index) => {
      contact[name] = values[index];
    });
    return contact as Pick<Contact, Column>;
  });
}
