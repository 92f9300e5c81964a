import { type ContactCriteria, listContactsBy } from '../../../contact/administer.ts';
import type { ContactWithRegistrar } from '../../../contact/contact.ts';
import { type InvalidValue, invalidValues } from '../../../contact/invalid.ts';
import { everyRow } from '../../../database/every-row.ts';
import type { Registry } from '../../registry.ts';
import { writeOutput } from '../../report/output.ts';

/** Every contact that meets the criteria, with its values that today's rules refuse, as it is read. */
export async function* judgedContacts({ db, origin }: Registry, criteria: ContactCriteria) {
  const contacts = everyRow<ContactWithRegistrar>((page) => listContactsBy(db, criteria, page));
  for await (const contact of contacts) {
    yield { ...contact, invalid: invalidValues(contact, origin.request.at) };
  }
}

/** Prints the contacts with such values as they are read. */
export async function printInvalid(
  registry: Registry,
  criteria: ContactCriteria,
  { json }: { json?: true },
): Promise<void> {
  let isAny = false;
  for await (const { registrar, code, invalid } of judgedContacts(registry, criteria)) {
    if (invalid.length === 0) continue;
    isAny = true;
    const lines = json
      ? [JSON.stringify({ registrar, code, invalid })]
      : invalid.map((value) => lineOf(code, value));
    await writeOutput(`${lines.join('\n')}\n`);
  }
  if (!isAny && !json) await writeOutput('there are no such contacts\n');
}

/** `ALPHA:1: Phone nr is invalid: "+3725551234" [phone]` */
function lineOf(code: string, { reason, message, field, value }: InvalidValue): string {
  const judged = value === undefined ? message : `${message}: ${printable(value)}`;
  return `${code}: ${reason === 'missing' ? `${field} is missing` : judged} [${field}]`;
}

/** Writes a value as JSON, and escapes the characters by which it could move the cursor or hide a part of itself. */
function printable(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
