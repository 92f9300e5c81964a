import { noun } from '../command.ts';
import { exportContacts } from './export.ts';
import { importFile } from './import.ts';

export const contact = noun(
  'contact',
  'Contacts, moved with their codes, UUIDs, timestamps and legacy ids',
  'contact import contacts.csv --registrar ALPHA',
)
  .addCommand(importFile)
  .addCommand(exportContacts);
