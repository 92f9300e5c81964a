import * as z from 'zod';
import { contactFields } from '../contact/fields.ts';
import { clearable } from '../text-field.ts';

/** A contact's address as both interfaces take it: part by part, or null to clear it whole. */
export const address = z
  .object(
    {
      street: clearable(contactFields.street),
      city: clearable(contactFields.city),
      zip: clearable(contactFields.zip),
      state: clearable(contactFields.state),
      country_code: clearable(contactFields.countryCode),
    },
    'Address is invalid',
  )
  .nullish();

const cleared = { street: null, city: null, zip: null, state: null, countryCode: null };

/** What it changes of the contact. */
export function addressChanges(given: z.output<typeof address>) {
  if (given === null) return cleared;
  const { country_code: countryCode, ...same } = given ?? {};
  return { ...same, countryCode };
}
