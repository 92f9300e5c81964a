import { noun } from '../command.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { update } from './update.ts';

export const registrar = noun(
  'registrar',
  'Registrars, and the addresses that they may call from',
  'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24',
)
  .addCommand(add)
  .addCommand(list)
  .addCommand(update);
