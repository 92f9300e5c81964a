import { lstatSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { everyRow } from '../../base/database/every-row.ts';
import type { Env } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import {
  declineDisclosure,
  discloseableFields,
  grantDisclosure,
  openDisclosure,
} from '../../contact/operator/disclosure/disclosure.ts';
import {
  answerBy,
  type Disclosure,
  getDisclosure,
  listDisclosures,
} from '../../contact/operator/disclosure/read.ts';
import { disclosureHoursOf } from '../../worker/settings.ts';
import { listed, noun, reading, writing } from '../command.ts';
import { parseFileName } from '../files/importing.ts';
import { writeWhole } from '../files/whole.ts';
import { parseContactKey } from '../names.ts';
import { verb } from '../run.ts';
import { parseSince, parseUntil } from '../time.ts';
import { dataOf, listing, listVerb, plain, type RowView, showReport } from '../view.ts';

const exampleOfOpen =
  'disclosure open --contact ALPHA:TAMM --requester "Mari Maasikas" --identified-by "ID card" --organization "Police" --basis "case 12-3" --fields name,email';

const disclosures: RowView<ReturnType<ReturnType<typeof withAnswerBy>>, [{ open?: true }]> = {
  name: 'disclosures',
  columns: {
    ...{ id: 'id', contact: 'contactCode', organization: 'organization' },
    ...{ fields: 'requestedFields', answer_by: 'answerBy' },
    outcome: { of: 'outcome', cell: ({ outcome }) => outcome ?? 'open' },
    ...plain('contactUuid', 'requester', 'identifiedBy', 'basis', 'isConfidential', 'receivedAt'),
    ...plain('answeredAt', 'grantedFields', 'visibleAfter', 'explanation'),
  },
  table: 'id contact organization fields answer_by outcome',
  read: ({ db, env }, { open: isOpen = false }) => {
    const every = everyRow<Disclosure>((page) => listDisclosures(db, { isOpen }, page));
    return Array.fromAsync(every, withAnswerBy(env));
  },
};

const open = verb(
  writing('open', exampleOfOpen)
    .description('Record a request to disclose what is on record about a person')
    .addHelpText(
      'after',
      `
The fields are ${discloseableFields.join(', ')}.
What you write is kept for ever, also after the person is erased: write nothing about the person.
A request that was returned and comes back complete is opened again: it is another request, with its own receipt.`,
    )
    .requiredOption('--contact <code>', 'the contact of the person', parseContactKey)
    .requiredOption('--requester <name>', 'who asks')
    .requiredOption('--identified-by <means>', 'how the requester was identified')
    .requiredOption('--organization <name>', 'for which organisation; its name is published')
    .requiredOption('--basis <text>', 'the legitimate interest, or the law')
    .requiredOption('--fields <names...>', 'what is requested, with commas', listed)
    .option('--received <time>', 'when it was received (default: now)', parseSince)
    .option('--confidential', 'the person must never learn of it'),
  async ({ db, env, origin, isDryRun, did }, options) => {
    const shown = disclosureDataBy(env);
    const { fields, received, confidential, ...notes } = options;
    const request = {
      ...notes,
      requestedFields: fields,
      receivedAt: received ?? origin.request.at,
      isConfidential: confidential ?? false,
    };
    const disclosure = shown(await openDisclosure(db, origin, request, { isDryRun }));
    return {
      data: { disclosure },
      text: `${did('open')} disclosure ${disclosure.id} of ${disclosure.contact}, to be answered by ${disclosure.answer_by}`,
    };
  },
);

const grant = verb(
  writing(
    'grant',
    'disclosure grant 7 --to for-the-police.json',
    'disclosure grant 7 --fields name --visible-after 2027-01-31 --to for-the-police.json',
  )
    .description('Grant a request, and write what is disclosed to a new file')
    .argument('<id>', 'the request', parseId)
    .option('--fields <names...>', 'only these of the requested fields, with commas', listed)
    .option(
      '--visible-after <time>',
      'the day or time until which the person sees nothing',
      parseUntil,
    )
    .requiredOption('--to <file>', 'a new file, readable by its owner only', parseFileName),
  async ({ db, origin, env, isDryRun, did }, id, { fields, visibleAfter, to }) => {
    const shown = disclosureDataBy(env);
    if (lstatSync(to, { throwIfNoEntry: false })) {
      throw new RegistryError('taken', `${to} already exists; name another file`, 'to');
    }
    const given = { ...(fields && { fields }), visibleAfter };
    const granting = (isDryRun: boolean) => grantDisclosure(db, origin, id, given, { isDryRun });
    // The file gets its name after the row is written; at the worst there is a row without a file, and the request is opened
    // again. A killed process may leave the values, even without a row, in a directory that only its owner can enter.
    const write = async (target: string) => {
      const save = (fields: object) => {
        const content = { disclosure: id, granted_at: origin.request.at, fields };
        return writeFile(target, `${JSON.stringify(content, null, 2)}\n`);
      };
      // A disk without room for it refuses before the row is written.
      await save((await granting(true)).values);
      const granted = await granting(false);
      await save(granted.values);
      return granted;
    };
    const { disclosure } = await (isDryRun
      ? granting(true)
      : writeWhole(to, write, { isNew: true }));
    return {
      data: { disclosure: shown(disclosure), file: to },
      text: `${did('grant')} disclosure ${id}: ${disclosure.grantedFields!.join(', ')}, in ${to}`,
    };
  },
);

/** A command that answers a request without disclosing anything. */
const declining = (
  word: 'refuse' | 'return',
  outcome: 'refused' | 'returned',
  [option, description, explanation]: [string, string, string],
) =>
  verb(
    writing(word, `disclosure ${word} 7 --${option} "…"`)
      .description(description)
      .argument('<id>', 'the request', parseId)
      .requiredOption(`--${option} <text>`, explanation),
    async ({ db, env, origin, isDryRun, did }, id, options) => {
      const shown = disclosureDataBy(env);
      const answer = { outcome, explanation: (options as Record<string, string>)[option]! };
      const declined = await declineDisclosure(db, origin, id, answer, { isDryRun });
      return { data: { disclosure: shown(declined) }, text: `${did(word)} disclosure ${id}` };
    },
  );

const list = listVerb(
  disclosures,
  listing(
    'List the requests, and by when they are to be answered',
    'disclosure list',
    'disclosure list --open',
  ).option('--open', 'only those without an answer'),
);

const show = verb(
  reading('show', 'disclosure show 7')
    .description('Show a request and its answer')
    .argument('<id>', 'the request', parseId),
  async ({ db, env }, id) => {
    const { disclosure } = await getDisclosure(db, id);
    return showReport('disclosure', disclosures.columns, withAnswerBy(env)(disclosure));
  },
);

export const disclosureCommand = noun('disclosure', exampleOfOpen, [
  open,
  grant,
  declining('refuse', 'refused', ['reason', 'Refuse a request', 'why; nothing about the person']),
  declining('return', 'returned', [
    'missing',
    'Send an incomplete request back, which closes it; if it comes back, open it again',
    'what the requester must add',
  ]),
  list,
  show,
]).description('Requests to disclose what is on record about a person, and their answers');

/** Throws at once, before anything is changed, if the setting of the hours is malformed. */
function withAnswerBy(env: Env) {
  const hours = disclosureHoursOf(env);
  return (disclosure: Disclosure) => ({ ...disclosure, answerBy: answerBy(disclosure, hours) });
}

function disclosureDataBy(env: Env) {
  const withHours = withAnswerBy(env);
  return (disclosure: Disclosure) => dataOf(disclosures.columns, withHours(disclosure));
}

function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    'It must be the number of a request, as disclosure list shows it.',
  );
}
