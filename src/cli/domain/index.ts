import { noun } from '../command.ts';
import { importFile } from './import.ts';
import { list } from './list.ts';

export const domain = noun(
  'domain',
  'Domains and their contacts, which are linked by them',
  'domain import domains.csv',
)
  .addCommand(importFile)
  .addCommand(list);
