import { lstatSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { everyRow } from '../../base/database/every-row.ts';
import { RegistryError } from '../../base/error.ts';
import { getContactByCode } from '../../contact/contact.ts';
import {
  declineDisclosure,
  grantDisclosure,
  openDisclosure,
} from '../../contact/operator/disclosure/disclosure.ts';
import {
  type Disclosure,
  discloseableFields,
  getDisclosure,
  listDisclosures,
} from '../../contact/operator/disclosure/read.ts';
import { dataOf } from '../../view/columns.ts';
import { disclosuresView, type ShownDisclosure, withAnswerBy } from '../../view/disclosure.ts';
import { noun, parseNumber, parsePath, readCommand, splitList, writeCommand } from '../command.ts';
import { writeWhole } from '../files/whole.ts';
import { parseContactKey } from '../names.ts';
import { verb } from '../run.ts';
import { parseSince, parseUntil } from '../time.ts';
import { listCommand, listReport, type RowView, showReport } from '../view.ts';

interface Listed {
  open?: true;
  contact?: string;
}

const disclosures: RowView<ShownDisclosure, [Listed]> = {
  ...disclosuresView,
  read: async ({ db, env }, { open: onlyOpen = false, contact: code }) => {
    const contactUuid = code && (await getContactByCode(db, code)).uuid;
    const every = everyRow<Disclosure>((page) =>
      listDisclosures(db, { onlyOpen, contactUuid }, page),
    );
    return Array.fromAsync(every, withAnswerBy(env));
  },
};

const open = verb(
  writeCommand(
    'open',
    'disclosure open --contact ALPHA:TAMM --requester "Mari Maasikas" --identified-by "ID card" --organization "Police" --basis "case 12-3" --fields name,email',
  )
    .description('Record a request to disclose what is on record about a person')
    .addHelpText('after', '\nWhat you write is kept for ever: write nothing about the person.')
    .requiredOption('--contact <code>', 'the contact of the person', parseContactKey)
    .requiredOption('--requester <name>', 'who asks')
    .requiredOption('--identified-by <means>', 'how the requester was identified')
    .requiredOption('--organization <name>', 'for which organisation; its name is published')
    .requiredOption('--basis <text>', 'the legitimate interest, or the law')
    .requiredOption('--fields <names...>', `of ${discloseableFields.join(', ')}`, splitList)
    .option('--received <time>', 'when it was received (default: now)', parseSince)
    .option('--confidential', 'the person must never learn of it'),
  async (registry, options) => {
    const shown = withAnswerBy(registry.env);
    const { fields, received, confidential, ...notes } = options;
    const request = {
      ...notes,
      requestedFields: fields,
      receivedAt: received ?? registry.origin.request.at,
      isConfidential: confidential ?? false,
    };
    const disclosure = shown(await openDisclosure(registry, request));
    return {
      data: { disclosure: dataOf(disclosuresView.columns, disclosure) },
      text: `${registry.did('open')} disclosure ${disclosure.id} of ${disclosure.contactCode}, to be answered by ${disclosure.answerBy}`,
    };
  },
);

const grant = verb(
  writeCommand('grant', 'disclosure grant 7 --fields name --to for-the-police.json')
    .description('Grant a request, and write what is disclosed to a new file')
    .argument('<id>', 'the request', parseNumber)
    .option('--fields <names...>', 'only these of the requested fields', splitList)
    .option('--visible-after <time>', 'the day until which the person sees nothing', parseUntil)
    .requiredOption('--to <file>', 'a new file, readable by its owner only', parsePath),
  async ({ db, origin, env, isDryRun, did }, id, { fields, visibleAfter, to }) => {
    const shown = withAnswerBy(env);
    if (lstatSync(to, { throwIfNoEntry: false })) {
      throw new RegistryError('taken', `${to} already exists; name another file`, 'to');
    }
    const given = { ...(fields && { fields }), visibleAfter };
    const granting = (isDryRun: boolean) => grantDisclosure({ db, origin, isDryRun }, id, given);
    // The file gets its name after the row is written. At worst there is a row without a file, and the request is opened again. A killed process
    // may leave the values in a directory for its owner alone.
    const write = async (target: string) => {
      let granted: Awaited<ReturnType<typeof granting>>;
      // First a dry run, so that a full disk refuses before the row is written.
      for (const isDryRun of [true, false]) {
        granted = await granting(isDryRun);
        const content = { disclosure: id, granted_at: origin.request.at, fields: granted.values };
        await writeFile(target, `${JSON.stringify(content, null, 2)}\n`);
      }
      return granted!;
    };
    const { disclosure } = await (isDryRun
      ? granting(true)
      : writeWhole(to, write, { isNew: true }));
    return {
      data: { disclosure: dataOf(disclosuresView.columns, shown(disclosure)), file: to },
      text: `${did('grant')} disclosure ${id}: ${disclosure.grantedFields!.join(', ')}, in ${to}`,
    };
  },
);

const declining = (
  word: 'refuse' | 'return',
  outcome: 'refused' | 'returned',
  option: string,
  explanation: string,
) =>
  verb(
    writeCommand(word, `disclosure ${word} 7 --${option} "…"`)
      .description(`Close a request as ${outcome}`)
      .argument('<id>', 'the request', parseNumber)
      .requiredOption(`--${option} <text>`, explanation),
    async (registry, id, options) => {
      const shown = withAnswerBy(registry.env);
      const answer = { outcome, explanation: (options as Record<string, string>)[option]! };
      const declined = await declineDisclosure(registry, id, answer);
      const disclosure = dataOf(disclosuresView.columns, shown(declined));
      return { data: { disclosure }, text: `${registry.did(word)} disclosure ${id}` };
    },
  );

const list = verb(
  listCommand('List the requests', 'disclosure list --open', 'disclosure list --contact ALPHA:TAMM')
    .option('--open', 'only those without an answer')
    .option('--contact <code>', 'only those about this contact', parseContactKey),
  (registry, options) => listReport(disclosures, registry, options),
);

const show = verb(
  readCommand('show', 'disclosure show 7')
    .description('Show a request and its answer')
    .argument('<id>', 'the request', parseNumber),
  async ({ db, env }, id) => {
    const { disclosure } = await getDisclosure(db, id);
    return showReport('disclosure', disclosuresView.columns, withAnswerBy(env)(disclosure));
  },
);

const refuse = declining('refuse', 'refused', 'reason', 'why; nothing about the person');
const giveBack = declining('return', 'returned', 'missing', 'what the requester must add');
const verbs = [open, grant, refuse, giveBack, list, show];
export const disclosureCommand = noun('disclosure', 'Requests to disclose who a person is', verbs);
