import { switching } from './switching.ts';

export const command = switching('enable', { isDisabled: false });
