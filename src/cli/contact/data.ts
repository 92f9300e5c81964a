import type { AdministeredContact } from '../../contact/administer.ts';
import { statusesOf } from '../../contact/contact.ts';
import { contactColumns } from '../../contact/fields.ts';

/** A contact as commands answer it: the fields of an export, with the statuses that the interfaces show. */
export function contactData(contact: AdministeredContact): Record<string, unknown> {
  const fields = contactColumns.flatMap(([column, { file }]) =>
    file === null ? [] : [[file, contact[column]] as const],
  );
  return {
    registrar: contact.registrar,
    ...Object.fromEntries(fields),
    statuses: statusesOf(contact),
  };
}
