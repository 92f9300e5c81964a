import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { stringify } from 'csv-stringify/sync';
import { reportDisclosures } from '../../disclosure/report.ts';
import { reportMonth } from '../../history/month-report.ts';
import { listStatus } from '../../public-list/publish/status.ts';
import { checkRegistrar } from '../../registrar/account.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { dayOf } from '../../time/day.ts';
import { reportVerification } from '../../verification/report.ts';
import { noun, reading } from '../command.ts';
import { counted, table } from '../report/text.ts';
import { verb } from '../run.ts';
import { judgedContacts } from './contact/invalid.ts';
import { nounOf } from './history/entry.ts';

const month = verb(
  reading('month', 'report month', 'report month 2026-10 --csv')
    .description('Count contacts, changes, auctions and names')
    .argument('[month]', 'YYYY-MM, in UTC (default: the current month)', parseMonth)
    .addOption(new Option('--csv', 'answer in CSV').conflicts('json')),
  async ({ db, env, origin }, asked, options) => {
    const month = asked ?? dayOf(origin.request.at).slice(0, 7);
    const { contacts, changes, auctions } = await reportMonth(db, month);
    const lists = await listStatus(db, env.LISTS, origin.request.at);
    const data = {
      month,
      contacts,
      changes: changes.map(({ subject, ...change }) => ({
        subject: nounOf[subject],
        ...change,
      })),
      auctions,
      names: lists
        .filter(({ list }) => list !== 'all')
        .map(({ list, published }) => ({ list, count: published?.count ?? 0 })),
    };
    const row = (section: string, name: string, count: number) => ({ section, name, count });
    const rows = [
      ...data.contacts.map(({ registrar, count }) => row('contacts now', registrar, count)),
      ...data.changes.map(({ subject, action, count }) =>
        row('changes', `${subject} ${action}`, count),
      ),
      ...data.auctions.map(({ outcome, count }) => row('auctions became', outcome, count)),
      ...data.names.map(({ list, count }) => row('names published now', list, count)),
    ];
    return {
      data,
      text: options.csv
        ? stringify(rows, { header: true }).trimEnd()
        : table(rows, `nothing is recorded of ${month}`),
    };
  },
);

const invalid = verb(
  reading('invalid', 'report invalid', 'report invalid --registrar ALPHA --json')
    .description("Count the contacts' values that today's rules refuse")
    .option('--registrar <code>', "only this registrar's contacts", asciiUpperCase),
  async (registry, { registrar }) => {
    await checkRegistrar(registry.db, registrar);
    const counts = new Map<string, number>();
    let [checked, contacts] = [0, 0];
    for await (const contact of judgedContacts(registry, { registrar })) {
      checked += 1;
      if (contact.invalid.length > 0) contacts += 1;
      for (const { field, reason } of contact.invalid) {
        const key = JSON.stringify([contact.registrar, field, reason]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    const values = [...counts].sort().map(([key, count]) => {
      const [registrar, field, reason] = JSON.parse(key) as string[];
      return { registrar, field, reason, count };
    });
    const summary = `${contacts} of ${counted(checked, 'contact')} have values that today's rules refuse`;
    const rows = table(values, '');
    return { data: { checked, contacts, values }, text: `${rows}\n${summary}`.trim() };
  },
);

const disclosures = verb(
  reading('disclosures', 'report disclosures', 'report disclosures --json').description(
    'Count the requests for disclosure, and the hours until they were answered; may be published',
  ),
  async ({ db }) => {
    const data = await reportDisclosures(db);
    const { count, median_hours: median, longest_hours: longest } = data.all;
    const rows = table(data.requests, '', {
      MONTH: 'month',
      ORGANIZATION: 'organization',
      OUTCOME: 'outcome',
      COUNT: 'count',
      'MEDIAN HOURS': 'median_hours',
      'LONGEST HOURS': 'longest_hours',
    });
    const times =
      median === null ? '' : `, answered in ${median} hours (median), ${longest} at most`;
    return { data, text: `${rows}\n${counted(count, 'request')}${times}`.trim() };
  },
);

const verification = verb(
  reading('verification', 'report verification', 'report verification --registrar ALPHA --json')
    .description('Count what is verified of contacts, how old that is, and what is demanded')
    .option('--registrar <code>', 'only this registrar', asciiUpperCase)
    .addHelpText('after', '\nIt reads every contact once.'),
  async ({ db, origin }, { registrar }) => {
    await checkRegistrar(db, registrar);
    const registrars = await reportVerification(db, registrar, origin.request.at);
    const rows = registrars.flatMap(({ claims, ...others }) =>
      claims.map((count) => ({ ...others, ...count })),
    );
    return { data: { registrars }, text: table(rows, 'there are no contacts') };
  },
);

const reports = [month, invalid, disclosures, verification];
export const reportCommand = noun('report', 'report month', reports).description(
  'Figures for a month, about values to correct, and about disclosures',
);

function parseMonth(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Write the month as 2026-10.');
}
