import { dayOf } from '../../day.ts';
import { type DomainName, parseDomainName } from '../../domain/name.ts';
import { findZoneProblems } from '../../domain/zone.ts';
import { zonesOf } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { listsShowing } from '../../public-list/lists.ts';
import {
  checkDays,
  closeDispute,
  type Dispute,
  listDisputes,
  type NewDispute,
  openDispute,
  overlapProblem,
  overlaps,
} from '../../retained-domain/dispute.ts';
import { findDisputeProblems, importDisputes } from '../../retained-domain/import-disputes.ts';
import { noun, reading, writing } from '../command.ts';
import { nameColumn, requiredText } from '../file/field.ts';
import { type Import, importing, runImport, writeInChunks } from '../file/import.ts';
import { parseNames } from '../names.ts';
import { allRows } from '../pages.ts';
import { verb } from '../run.ts';
import { counted, table } from '../text.ts';

const publish = listsShowing(['disputed']);

const open = verb(
  writing('open', 'dispute open piip.ee --from 2026-12-01 --until 2027-02-28')
    .description('Open a dispute of a name and publish the lists')
    .argument('<name>', 'the name in its Unicode form, lower case')
    .requiredOption('--from <day>', 'its first day, YYYY-MM-DD, in UTC')
    .requiredOption('--until <day>', 'its last day'),
  async ({ db, env, origin, isDryRun, did }, text, options) => {
    const { from, until } = options;
    const [name] = parseNames([text], env) as [DomainName];
    const dispute = { ...name, firstDay: from, lastDay: until };
    await openDispute(db, origin, dispute, { isDryRun });
    return {
      data: { name: name.name, from, until, changed: !isDryRun },
      text: `${did('open')} a dispute of ${name.name} from ${from} until ${until}`,
      publish,
    };
  },
);

const close = verb(
  writing('close', 'dispute close piip.ee')
    .description('Close the dispute of a name as of today and publish the lists')
    .argument('<name>', 'the name in its Unicode form, lower case'),
  async ({ db, origin, isDryRun, did }, text) => {
    const { name } = parseDomainName(text);
    const outcome = await closeDispute(db, origin, { name }, { isDryRun });
    const effect =
      outcome === 'ended'
        ? 'its last day is yesterday'
        : 'deleted, as it had not begun before today';
    return {
      data: { name, outcome, changed: !isDryRun },
      text: `${did('close')} the dispute of ${name}: ${effect}`,
      publish,
    };
  },
);

const list = verb(
  reading('list', 'dispute list').description('List the disputes, past and future ones included'),
  async ({ db, origin }) => {
    const listed = await allRows<Dispute, number>(
      (page) => listDisputes(db, { page }),
      ({ id }) => id,
    );
    const disputes = listed.map((dispute) => ({
      name: dispute.name,
      punycode_name: dispute.punycode,
      from: dispute.firstDay,
      until: dispute.lastDay,
      state: stateOf(dispute, dayOf(origin.request.at)),
    }));
    return {
      data: { disputes },
      text: table(disputes, 'there are no disputes', {
        NAME: 'name',
        FROM: 'from',
        UNTIL: 'until',
        STATE: 'state',
      }),
    };
  },
);

function stateOf({ firstDay, lastDay }: Dispute, today: string): string {
  if (lastDay < today) return 'over';
  return firstDay <= today ? 'in force' : 'to come';
}

const columns = {
  name: nameColumn,
  from: { note: 'the first day, YYYY-MM-DD, in UTC', isRequired: true },
  until: { note: 'the last day', isRequired: true },
};

/** The import of disputes, for one file: it remembers the disputes that it has read, none of which may overlap. */
export const disputeImport = (): Import<NewDispute, 'opened'> => ({
  columns,
  read: rememberingReader(),
  keys: ({ name, firstDay }) => [`${name} from ${firstDay}`],
  findProblems: async ({ db, env }, rows) => [
    ...findZoneProblems(rows, zonesOf(env)),
    ...(await findDisputeProblems(db, rows)),
  ],
  write: ({ db, origin, isDryRun }, disputes) =>
    writeInChunks('importing', disputes, { opened: 0, unchanged: 0 }, (chunk) =>
      importDisputes(db, origin, chunk, { isDryRun }),
    ),
  text: ({ opened, unchanged }, { did }) =>
    `${did('open')} ${counted(opened, 'dispute')}, ${unchanged} already there`,
  publish,
});

function rememberingReader() {
  const ofName = new Map<string, NewDispute[]>();
  return (values: Record<string, unknown>): NewDispute => {
    const dispute = {
      ...parseDomainName(requiredText(values, 'name')),
      firstDay: requiredText(values, 'from'),
      lastDay: requiredText(values, 'until'),
    };
    checkDays(dispute);
    const others = ofName.get(dispute.name) ?? [];
    // One that begins on the same day is a repeated row.
    const overlapping = others.find(
      (other) => other.firstDay !== dispute.firstDay && overlaps(other, dispute),
    );
    if (overlapping) throw new RegistryError([overlapProblem(overlapping)]);
    ofName.set(dispute.name, [...others, dispute]);
    return dispute;
  };
}

const importVerb = importing(columns, 'dispute import disputes.csv')
  .description('Open the disputes in a file and publish the lists')
  .action((file, options) => runImport(file, options, disputeImport()));

export const disputeCommand = noun(
  'dispute',
  'dispute open piip.ee --from 2026-12-01 --until 2027-02-28',
  [open, close, list, importVerb],
);
