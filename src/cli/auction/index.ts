import { noun } from '../command.ts';
import { importNames } from './import.ts';
import { list } from './list.ts';
import { register } from './register.ts';
import { show } from './show.ts';
import { start } from './start.ts';

export const auction = noun('auction', 'Names put up for auction', 'auction start kohv.ee õun.ee')
  .addCommand(start)
  .addCommand(list)
  .addCommand(show)
  .addCommand(importNames)
  .addCommand(register);
