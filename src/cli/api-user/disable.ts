import { switching } from './switching.ts';

export const command = switching('disable', { isDisabled: true });
