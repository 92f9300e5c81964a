import { noun } from '../command.ts';
import { publish } from './publish.ts';
import { status } from './status.ts';

export const lists = noun('lists', 'The public lists', 'lists status')
  .addCommand(publish)
  .addCommand(status);
