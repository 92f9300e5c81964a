import { contactFields } from '../../../contact/fields.ts';
import { type Erasure, eraseContact } from '../../../contact/operator/erase.ts';
import { eraseFormerHolder, type FormerErasure } from '../../../contact/operator/erase-former.ts';
import { recordErasure } from '../../../list/archive/operator/erasures.ts';
import { writing } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { confirmedChange } from '../../report/confirm.ts';
import { counted } from '../../report/text.ts';
import { type Report, verb } from '../../run.ts';

const backups =
  'Time Travel keeps the values for up to 30 days, nightly backups for up to a year, ' +
  'and files that were exported as long as you keep them';

export const erase = verb(
  writing(
    'erase',
    'contact erase ALPHA:1B7A3C5D --dry-run',
    'contact erase 0d2f7a2e-5a0e-4c40-8ad4-5c8a2b6f3f11',
  )
    .description('Erase the personal data of a contact, at the request of the person')
    .argument('<code|uuid>', 'the contact, even one that was deleted before', parseContactKey)
    .option(
      '--former <ident>',
      'only what is kept of the person who had this identity code before it was corrected',
    )
    .addHelpText(
      'after',
      `
Deletes the contact, removes its personal values from history and the person from disclosures, and deletes the
answers that are kept for repeated requests. History still says who changed which fields, and when, by name: also the person, if
they made the change in the portal. This cannot be undone, so it asks first. A contact that a domain refers
to is refused: the registry must know who holds a domain.`,
    ),
  async (registry, contact, options) => {
    const { db, isDryRun, did } = registry;
    if (options.former !== undefined)
      return eraseFormer(registry, contact, options.former, options);
    const erasure = await confirmedChange(
      registry,
      options,
      (origin, how) => eraseContact(db, origin, contact, how),
      (would) =>
        isErasing(would)
          ? `${erasureText(would, 'would erase')}\nThis cannot be undone.`
          : undefined,
    );
    const { code, uuid, history, outcomes, disclosures, others, deletedOthers } = erasure;
    const unrecorded = isDryRun ? undefined : await record(registry, uuid);
    const text = isErasing(erasure)
      ? erasureText(erasure, did('erase'))
      : [`nothing is left to erase of contact ${code}`, ...staying(erasure), backups].join('\n');
    return {
      data: {
        contact: { code, uuid, fields: erasure.contact ? namesOf(erasure.contact) : null },
        history: { ...history, fields: namesOf(history.fields) },
        ...{ outcomes, disclosures, others, deleted_others: deletedOthers, backups },
        changed: isErasing(erasure),
        ...(unrecorded && { not_recorded: unrecorded }),
      },
      text: unrecorded ? `${text}\n${unrecorded}` : text,
    };
  },
);

/** The bucket's records are of whole contacts, so a restore brings these values back. */
async function eraseFormer(
  registry: Registry,
  contact: string,
  ident: string,
  options: { yes?: true },
): Promise<Report> {
  const whatOf = ({ code, uuid, entries, disclosures }: FormerErasure) =>
    `values of a former person from ${counted(entries, 'entry', 'entries')} of contact ${code} (${uuid}), and from ${counted(disclosures, 'disclosure')}`;
  const isErasing = ({ entries, disclosures }: FormerErasure) => entries + disclosures > 0;
  const erased = await confirmedChange(
    registry,
    options,
    (origin, how) => eraseFormerHolder(registry.db, origin, contact, ident, how),
    (would) =>
      isErasing(would) ? `This erases ${whatOf(would)}.\nThis cannot be undone.` : undefined,
  );
  const { code, uuid, ...counts } = erased;
  return {
    data: { contact: { code, uuid }, ...counts, changed: isErasing(erased) },
    text: isErasing(erased)
      ? `${registry.did('erase')} ${whatOf(erased)}; after a restore of an older backup, say it again\n${backups}`
      : `nothing is left to erase of such a person of contact ${code}`,
  };
}

/** Records the erasure outside the database. Returns what to do if the bucket refuses it; the exit status is then 1. */
async function record(
  { env: { ARCHIVE }, origin }: Registry,
  uuid: string,
): Promise<string | undefined> {
  try {
    if (ARCHIVE) await recordErasure(ARCHIVE, uuid, origin.request.at);
    return undefined;
  } catch (error) {
    process.exitCode = 1;
    return `the bucket ARCHIVE has no record of it (${(error as Error).message}), so a restore may undo it: repeat the command`;
  }
}

function isErasing({ contact, history, outcomes, disclosures }: Erasure): boolean {
  return contact !== undefined || history.entries + outcomes + disclosures > 0;
}

function erasureText(erasure: Erasure, verb: string): string {
  const { code, uuid, contact, history, outcomes, disclosures } = erasure;
  const entries = counted(history.entries, 'entry', 'entries');
  const removed =
    history.entries === 0
      ? 'no values to remove'
      : `values of ${namesOf(history.fields).join(', ')} removed from ${entries}`;
  const deleted = erasure.deletedOthers.map(({ code, uuid }) => `${uuid} (${code}, deleted)`);
  const others = [...erasure.others, ...deleted].join(', ');
  return [
    `${verb} contact ${code} (${uuid})`,
    `  contact: ${contact ? `deleted, with ${namesOf(contact).join(', ')}` : 'was deleted before'}`,
    `  history: ${removed}; who changed which fields, and when, stays`,
    `  copies kept for repeated requests: ${outcomes} deleted`,
    ...(disclosures > 0 ? [`  disclosures: ${disclosures} no longer say whom they are about`] : []),
    ...(others === '' ? [] : [`  not erased, with the same identity: ${others}`]),
    ...staying(erasure),
    backups,
  ].join('\n');
}

function staying({ history: { actors } }: Pick<Erasure, 'history'>): string[] {
  return actors.length === 0
    ? []
    : [`  stays in history, as who made changes: ${actors.join(', ')}`];
}

/** Files and history use these names. */
function namesOf(columns: readonly string[]): string[] {
  return columns.map(
    (column) => contactFields[column as keyof typeof contactFields].file ?? column,
  );
}
