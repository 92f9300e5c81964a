import type { Database } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { contactFields } from '../../../contact/fields.ts';
import { eraseContact, identifyContact } from '../../../contact/operator/erase.ts';
import { eraseFormerPerson, type FormerErasure } from '../../../contact/operator/erase-former.ts';
import { type Erasure, isErasing } from '../../../contact/operator/erasure.ts';
import {
  findRestored,
  findRestoredFormer,
  formerDigest,
} from '../../../contact/operator/restored.ts';
import {
  readErasures,
  readFormerErasures,
  recordErasure,
} from '../../../list/archive/operator/erasures.ts';
import { messageOf } from '../../../view/message.ts';
import { countText, type Lines } from '../../../view/text.ts';
import { writeCommand } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { confirm, confirmedChange } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { type Report, verb } from '../../run.ts';

const backups =
  'Time Travel keeps the values for up to 30 days, nightly backups for up to a year, ' +
  'and files that were exported as long as you keep them';

export const erase = verb(
  writeCommand('erase', 'contact erase ALPHA:1B7A3C5D --dry-run')
    .description('Erase the personal data of a contact, at the request of the person')
    .argument('<code|uuid>', 'the contact, even one that was deleted before', parseContactKey)
    .option('--former <ident>', 'only what is kept of the person who had this code before')
    .addHelpText(
      'after',
      `
Deletes the contact, its personal values in history and in disclosures, and the answers that are kept for repeated
requests. History still says who changed which fields, and when: by name, if the person did in the portal.`,
    ),
  async (registry, contact, options) => {
    const { did } = registry;
    if (options.former !== undefined)
      return eraseFormer(registry, contact, options.former, options);
    const { uuid } = await identifyContact(registry.db, contact);
    const erasure = await confirmedErasure(
      registry,
      options,
      { uuid },
      (operation) => eraseContact(operation, uuid),
      (would) =>
        isErasing(would) ? [...textOf(would, 'would erase'), 'This cannot be undone.'] : undefined,
    );
    const { code, history, outcomes, disclosures, others, deletedOthers } = erasure;
    return {
      data: {
        contact: { code, uuid, fields: erasure.contact ? namesOf(erasure.contact) : null },
        history: { ...history, fields: namesOf(history.fields) },
        ...{ outcomes, disclosures, others, deleted_others: deletedOthers, backups },
        changed: isErasing(erasure),
      },
      text: textOf(erasure, did('erase')),
    };
  },
);

async function eraseFormer(
  registry: Registry,
  contact: string,
  ident: string,
  options: { yes?: true },
): Promise<Report> {
  const whatOf = ({ code, uuid, entries, disclosures }: FormerErasure) =>
    `values of a former person from ${countText(entries, 'entry', 'entries')} of contact ${code} (${uuid}), and from ${countText(disclosures, 'disclosure')}`;
  const isErasing = ({ entries, disclosures }: FormerErasure) => entries + disclosures > 0;
  const { uuid } = await identifyContact(registry.db, contact);
  const erased = await confirmedErasure(
    registry,
    options,
    { uuid, digest: await formerDigest(uuid, ident) },
    (operation) => eraseFormerPerson(operation, uuid, ident),
    (would) =>
      isErasing(would) ? [`This erases ${whatOf(would)}.`, 'This cannot be undone.'] : undefined,
  );
  const { code, entries, disclosures } = erased;
  const text = isErasing(erased)
    ? [`${registry.did('erase')} ${whatOf(erased)}`, backups]
    : [`nothing is left to erase of such a person of contact ${code}`];
  return {
    data: { contact: { code, uuid }, entries, disclosures, changed: isErasing(erased) },
    text,
  };
}

/**
 * Erases after a question. The bucket gets its note before the database's batch, and loses it if the batch is refused.
 * If the command is killed between the two, the note stands for the operator's yes: repeating the command, `erase-again`
 * or the next restore erases. Throws `unexpected`, and erases nothing, if the bucket fails.
 */
async function confirmedErasure<Outcome>(
  registry: Registry,
  options: { yes?: true },
  who: { uuid: string; digest?: string },
  erase: (operation: Operation) => Promise<Outcome>,
  statementOf: (would: Outcome) => Lines | undefined,
): Promise<Outcome> {
  const { env, origin, isDryRun } = registry;
  const bucket = env.ARCHIVE;
  let key: string | undefined;
  const note = async () => {
    key = bucket && (await recordErasure(bucket, { ...who, at: origin.request.at }).catch(refuse));
  };
  const outcome = await confirmedChange(
    registry,
    options,
    async (operation) => {
      if (operation.isDryRun) return erase(operation);
      using _ = atInterrupt(() => 'the erasure is made, or not: repeat the command');
      await note();
      try {
        return await erase(operation);
      } catch (error) {
        // After any other failure, the batch may have taken effect.
        if (error instanceof RegistryError && key) await forget(bucket!, key, error);
        throw error;
      }
    },
    statementOf,
  );
  // Repairs an erasure that was made without a bucket.
  if (statementOf(outcome) === undefined && !isDryRun) await note();
  return outcome;
}

function refuse(error: unknown): never {
  const message = `the bucket ARCHIVE takes no note of the erasure (${messageOf(error)}), so nothing was erased: repeat the command`;
  throw new RegistryError('unexpected', message);
}

async function forget(bucket: R2Bucket, key: string, { problems }: RegistryError) {
  try {
    await bucket.delete(key);
  } catch (error) {
    const message = `the bucket ARCHIVE keeps its note of the refused erasure (${messageOf(error)}), and a restore would erase: delete ${key}`;
    throw new RegistryError([...problems, { reason: 'unexpected', message }]);
  }
}

function textOf(erasure: Erasure, verb: string): string[] {
  const { code, uuid, contact, history, outcomes, disclosures } = erasure;
  const { entries, actors } = history;
  const deleted = erasure.deletedOthers.map(({ code, uuid }) => `${uuid} (${code}, deleted)`);
  const others = [...erasure.others, ...deleted].join(', ');
  const removed = `values of ${namesOf(history.fields).join(', ')} removed from ${countText(entries, 'entry', 'entries')}`;
  const lines = [
    contact ? `contact: deleted, with ${namesOf(contact).join(', ')}` : '',
    entries > 0 ? `history: ${removed}; who changed which fields, and when, stays` : '',
    outcomes > 0 ? `copies kept for repeated requests: ${outcomes} deleted` : '',
    disclosures > 0 ? `disclosures: ${disclosures} no longer say whom they are about` : '',
    others ? `not erased, with the same identity: ${others}` : '',
    actors.length > 0 ? `stays in history, as who made changes: ${actors.join(', ')}` : '',
  ];
  return [
    isErasing(erasure)
      ? `${verb} contact ${code} (${uuid})`
      : `nothing is left to erase of contact ${code}`,
    ...lines.filter((line) => line !== '').map((line) => `  ${line}`),
    backups,
  ];
}

/** Files and history use these names. */
function namesOf(columns: readonly string[]): string[] {
  return columns.map(
    (column) => contactFields[column as keyof typeof contactFields].file ?? column,
  );
}

export const eraseAgain = verb(
  writeCommand('erase-again', 'contact erase-again --dry-run')
    .description(
      'Erase the contacts and former persons that a restore has brought back, or whose erasure was interrupted',
    )
    .addHelpText('after', '\nrestore does the same; run this after a restore by Time Travel.'),
  repeatErasures,
);

/**
 * Repeats, after a question, the erasures that the bucket remembers and whose values the database has. Contacts that cannot be erased are
 * named, and the exit status is 1. Throws `not_found` without a bucket, and `invalid` if the operator does not agree.
 */
export async function repeatErasures(
  { db, env, origin, isDryRun }: Registry,
  { yes }: { yes?: true },
) {
  if (!env.ARCHIVE) {
    const message = 'wrangler.toml binds no ARCHIVE, so nothing remembers who was erased';
    throw new RegistryError('not_found', message);
  }
  const restored = await findAllRestored(db, env.ARCHIVE);
  if (isDryRun || restored.length === 0) {
    const text =
      restored.length > 0 ? `would erase ${restoredText(restored)}` : 'nobody to erase again';
    return {
      data: { erased_again: restored.map(restoredData), changed: false },
      text,
      asked: [text],
    };
  }
  if (!yes) await confirm(`This erases ${restoredText(restored)}. This cannot be undone.`);
  const erased: Restored[] = [];
  const refused: (ReturnType<typeof restoredData> & { reason: string; message: string })[] = [];
  for (const one of restored) {
    try {
      await (one.ident === undefined
        ? eraseContact({ db, origin }, one.uuid)
        : eraseFormerPerson({ db, origin }, one.uuid, one.ident));
      erased.push(one);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      refused.push({ ...restoredData(one), reason: error.reason, message: error.message });
    }
  }
  if (refused.length > 0) process.exitCode = 1;
  const linesOf = (did: string, didNot: string) => [
    `${did} ${restoredText(erased)}`,
    ...refused.map(({ code, message }) => `${didNot}: ${code}: ${message}`),
  ];
  return {
    data: {
      erased_again: erased.map(restoredData),
      not_erased: refused,
      changed: erased.length > 0,
    },
    text: linesOf('erased', 'not erased'),
    /** For a question before a restore, which does it in its copy of the file. */
    asked: linesOf('would erase', 'would not erase'),
  };
}

type Restored = { code: string; uuid: string; ident?: string };

/** Skips former persons of contacts that are erased as a whole. */
async function findAllRestored(db: Database, bucket: R2Bucket): Promise<Restored[]> {
  const whole = await findRestored(db, await readErasures(bucket));
  const former = await findRestoredFormer(db, await readFormerErasures(bucket));
  const uuids = new Set(whole.map(({ uuid }) => uuid));
  return [...whole, ...former.filter(({ uuid }) => !uuids.has(uuid))];
}

const restoredData = ({ code, uuid, ident }: Restored) => ({
  ...{ code, uuid },
  ...(ident !== undefined && { former: true }),
});

function restoredText(restored: readonly Restored[]): string {
  const codes = restored
    .map(({ code, ident }) => (ident === undefined ? code : `a former person of ${code}`))
    .join(', ');
  return `${countText(restored.length, 'person')} whose erasure was confirmed before${codes && `: ${codes}`}`;
}
