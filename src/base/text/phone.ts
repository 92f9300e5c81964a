import * as z from 'zod/mini';
import { expecting, textField } from './field.ts';

/** RFC 5733: `+`, country code, dot, number. Avoids look-aheads, which many clients' programs lack. */
const phonePattern = /^\+\d{1,3}\.\d{1,14}$/;
const hasPartOfZeros = /^\+0+\.|\.0+$/;

const phoneForm =
  '`+`, the country’s code, a dot, the number (RFC 5733), neither of zeros only: +372.55501020';

export const phoneField = (message: string) =>
  expecting(
    phoneForm,
    textField(message, 19, phonePattern, phoneForm).check(
      z.refine((value) => !hasPartOfZeros.test(value), message),
    ),
  );
