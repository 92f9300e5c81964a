import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { everyRow } from '../../database/every-row.ts';
import {
  declineDisclosure,
  discloseableFields,
  type Granted,
  grantDisclosure,
  openDisclosure,
} from '../../disclosure/disclosure.ts';
import {
  answerBy,
  type Disclosure,
  getDisclosure,
  listDisclosures,
} from '../../disclosure/read.ts';
import { disclosureHoursOf } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { listed, noun, reading, writing } from '../command.ts';
import { writeWhole } from '../file/whole.ts';
import { parseContactKey } from '../names.ts';
import type { Registry } from '../registry.ts';
import { fieldLines, listReport } from '../report/text.ts';
import { verb } from '../run.ts';
import { parseSince, parseUntil } from '../time.ts';

const exampleOfOpen =
  'disclosure open --contact ALPHA:TAMM --requester "Mari Maasikas" --identified-by "ID card" --organization "Police" --basis "case 12-3" --fields name,email';

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
    .requiredOption(
      '--contact <code>',
      'the contact of the person that it is about',
      parseContactKey,
    )
    .requiredOption('--requester <name>', 'who asks')
    .requiredOption('--identified-by <means>', 'how the requester was identified')
    .requiredOption('--organization <name>', 'for which organisation; its name is published')
    .requiredOption(
      '--basis <text>',
      'the legitimate interest or the law that the request rests on',
    )
    .requiredOption('--fields <names...>', 'what is requested, with commas', listed)
    .option('--received <time>', 'when it was received (default: now)', parseSince)
    .option('--confidential', 'the person must never learn of it'),
  async ({ db, env, origin, isDryRun, did }, options) => {
    const { fields, received, confidential, ...notes } = options;
    const request = {
      ...notes,
      requestedFields: fields,
      receivedAt: received ?? origin.request.at,
      isConfidential: confidential ?? false,
    };
    const disclosure = disclosureData(
      await openDisclosure(db, origin, request, { isDryRun }),
      disclosureHoursOf(env),
    );
    return {
      data: { disclosure, changed: !isDryRun },
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
      'the day or time until which the person does not see it',
      parseUntil,
    )
    .requiredOption('--to <file>', 'a new file, readable by its owner only'),
  async (registry, id, { fields, visibleAfter, to }) => {
    const { db, origin, env, isDryRun, did } = registry;
    const given = { ...(fields && { fields }), visibleAfter };
    const attempt = (seen?: string) => {
      const isExpected = seen === undefined ? undefined : (version: string) => version === seen;
      const request = { ...origin.request, isExpected };
      const how = { isDryRun: seen === undefined };
      return grantDisclosure(db, { ...origin, request }, id, given, how);
    };
    const { disclosure } = isDryRun ? await attempt() : await grantTo(to, attempt);
    const granted = disclosure.grantedFields!;
    return {
      data: {
        disclosure: disclosureData(disclosure, disclosureHoursOf(env)),
        file: to,
        changed: !isDryRun,
      },
      text: `${did('grant')} disclosure ${id}: ${granted.join(', ')}, in ${to}`,
    };
  },
);

const refuse = verb(
  writing('refuse', 'disclosure refuse 7 --reason "no legitimate interest is shown"')
    .description('Refuse a request')
    .argument('<id>', 'the request', parseId)
    .requiredOption('--reason <text>', 'why; write nothing about the person'),
  (registry, id, { reason }) => decline(registry, id, { outcome: 'refused', explanation: reason }),
);

const giveBack = verb(
  writing('return', 'disclosure return 7 --missing "the number of the case"')
    .description(
      'Send an incomplete request back, which closes it; if it comes back, open it again',
    )
    .argument('<id>', 'the request', parseId)
    .requiredOption('--missing <text>', 'what the requester must add'),
  (registry, id, { missing }) =>
    decline(registry, id, { outcome: 'returned', explanation: missing }),
);

const list = verb(
  reading('list', 'disclosure list', 'disclosure list --open')
    .description('List the requests, and by when they are to be answered')
    .option('--open', 'only those without an answer'),
  async ({ db, env }, { open: isOpen = false }) => {
    const hours = disclosureHoursOf(env);
    const disclosures = await Array.fromAsync(
      everyRow<Disclosure>((page) => listDisclosures(db, { isOpen }, page)),
      (row) => disclosureData(row, hours),
    );
    return listReport('disclosures', disclosures, 'there are no requests', {
      ID: 'id',
      CONTACT: 'contact',
      ORGANIZATION: 'organization',
      FIELDS: 'fields',
      RECEIVED: 'received_at',
      'ANSWER BY': 'answer_by',
      OUTCOME: ({ outcome }) => outcome ?? 'open',
    });
  },
);

const show = verb(
  reading('show', 'disclosure show 7')
    .description('Show a request and its answer')
    .argument('<id>', 'the request', parseId),
  async ({ db, env }, id) => {
    const disclosure = disclosureData(await getDisclosure(db, id), disclosureHoursOf(env));
    return { data: { disclosure }, text: fieldLines(disclosure) };
  },
);

export const disclosureCommand = noun('disclosure', exampleOfOpen, [
  open,
  grant,
  refuse,
  giveBack,
  list,
  show,
]);

/**
 * Writes what is granted to a new file. The values are on the disk before the row is written, but in a place of their
 * own, and the file gets its name after the row: whatever ends the command, nothing is disclosed without a row. At the
 * worst there is a row without a file; then the request is opened again.
 */
async function grantTo(
  file: string,
  attempt: (seen?: string) => Promise<Granted>,
): Promise<Granted> {
  if (existsSync(file)) {
    throw new RegistryError('taken', `${file} already exists; name another file`, 'to');
  }
  const fill = async (target: string) => {
    const { disclosure, values, version } = await attempt();
    const { id, answeredAt } = disclosure;
    const content = { disclosure: id, granted_at: answeredAt, fields: values };
    await writeFile(target, `${JSON.stringify(content, null, 2)}\n`);
    return attempt(version);
  };
  return writeWhole(file, fill, { isNew: true });
}

async function decline(
  { db, env, origin, isDryRun, did }: Registry,
  id: number,
  answer: Parameters<typeof declineDisclosure>[3],
) {
  const declined = await declineDisclosure(db, origin, id, answer, { isDryRun });
  return {
    data: {
      disclosure: disclosureData(declined, disclosureHoursOf(env)),
      changed: !isDryRun,
    },
    text: `${did(answer.outcome === 'refused' ? 'refuse' : 'return')} disclosure ${id}`,
  };
}

function disclosureData(disclosure: Disclosure, hours: number) {
  return {
    id: disclosure.id,
    contact: disclosure.contactCode,
    contact_uuid: disclosure.contactUuid,
    requester: disclosure.requester,
    identified_by: disclosure.identifiedBy,
    organization: disclosure.organization,
    basis: disclosure.basis,
    fields: disclosure.requestedFields,
    is_confidential: disclosure.isConfidential,
    received_at: disclosure.receivedAt,
    answer_by: answerBy(disclosure, hours),
    outcome: disclosure.outcome,
    answered_at: disclosure.answeredAt,
    granted_fields: disclosure.grantedFields,
    visible_after: disclosure.visibleAfter,
    explanation: disclosure.explanation,
  };
}

function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    'It must be the number of a request, as disclosure list shows it.',
  );
}
