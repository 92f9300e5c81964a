import { noun } from '../command.ts';
import { close } from './close.ts';
import { list } from './list.ts';
import { open } from './open.ts';

export const dispute = noun(
  'dispute',
  'Disputed names',
  'dispute open piip.ee --from 2026-12-01 --until 2027-02-28',
)
  .addCommand(open)
  .addCommand(close)
  .addCommand(list);
