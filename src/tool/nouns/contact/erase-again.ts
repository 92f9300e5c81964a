import { RegistryError } from '../../../base/error.ts';
import { eraseContact } from '../../../contact/operator/erase.ts';
import { findRestored } from '../../../contact/operator/restored.ts';
import { readErasures } from '../../../list/archive/operator/erasures.ts';
import { writing } from '../../command.ts';
import type { Registry } from '../../registry.ts';
import { confirm } from '../../report/confirm.ts';
import { counted } from '../../report/text.ts';
import { verb } from '../../run.ts';

export const eraseAgain = verb(
  writing('erase-again', 'contact erase-again --dry-run')
    .description('Erase the contacts that were erased before and that a restore has brought back')
    .addHelpText(
      'after',
      `
The bucket ARCHIVE remembers each erasure, by the UUID of the contact. restore does the same; after
a restore by Time Travel, run this command.`,
    ),
  repeatErasures,
);

/**
 * Erases the contacts whose erasure the bucket remembers and of which the database has values, after a question. Those that
 * cannot be erased are named, and the exit status is 1. Throws `not_found` without a bucket, and `invalid` if the operator
 * does not agree.
 */
export async function repeatErasures(
  { db, env, origin, isDryRun }: Registry,
  { yes }: { yes?: true },
) {
  if (!env.ARCHIVE) {
    const message = 'wrangler.toml binds no ARCHIVE, so nothing remembers who was erased';
    throw new RegistryError('not_found', message);
  }
  const restored = await findRestored(db, await readErasures(env.ARCHIVE));
  if (restored.length === 0) {
    const text = 'the bucket ARCHIVE remembers no erasure of a contact that is here';
    return { data: { erased_again: [], changed: false }, text };
  }
  if (isDryRun) {
    const text = `would erase ${textOf(restored)}`;
    return { data: { erased_again: restored, changed: false }, text };
  }
  const statement = `This erases ${textOf(restored)}. This cannot be undone.`;
  if (!yes) await confirm(statement);
  const erased = [];
  const refused = [];
  for (const contact of restored) {
    try {
      await eraseContact(db, origin, contact.uuid);
      erased.push(contact);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      refused.push({ ...contact, reason: error.reason, message: error.message });
    }
  }
  if (refused.length > 0) process.exitCode = 1;
  const lines = refused.map(({ code, message }) => `not erased: ${code}: ${message}`);
  return {
    data: { erased_again: erased, not_erased: refused, changed: erased.length > 0 },
    text: [`erased ${textOf(erased)}`, ...lines].join('\n'),
  };
}

function textOf(contacts: readonly { code: string }[]): string {
  const codes = contacts.map(({ code }) => code).join(', ');
  return `${counted(contacts.length, 'contact')} that had been erased before${codes && `: ${codes}`}`;
}
