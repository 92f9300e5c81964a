import { noun } from '../command.ts';
import { add } from './add.ts';
import { exportNames } from './export.ts';
import { importNames } from './import.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

export const retained = noun(
  'retained',
  'Reserved and blocked names',
  'retained add riigikogu.ee õ.ee --status reserved',
)
  .addCommand(add)
  .addCommand(remove)
  .addCommand(list)
  .addCommand(importNames)
  .addCommand(exportNames);
