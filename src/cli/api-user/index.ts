import { noun } from '../command.ts';
import { add } from './add.ts';
import { disable, enable } from './disable.ts';
import { list } from './list.ts';
import { rotate } from './rotate.ts';

export const apiUser = noun(
  'api-user',
  "Registrars' users of the registrar interface",
  'api-user add --registrar ALPHA --username ats',
)
  .addCommand(add)
  .addCommand(rotate)
  .addCommand(disable)
  .addCommand(enable)
  .addCommand(list);
