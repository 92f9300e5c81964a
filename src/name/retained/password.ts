import { textField } from '../../base/text/field.ts';

/** The rule of every secret of a name, so that a registration can give whatever is stored. */
export const secretOfName = () => textField('is not a text of 1 to 255 characters', 255);
