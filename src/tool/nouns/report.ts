import { InvalidArgumentError } from '@commander-js/extra-typings';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { dayOf } from '../../base/time/day.ts';
import { reportMonth } from '../../change/history/operator/month-report.ts';
import { reportDisclosures } from '../../contact/operator/disclosure/read.ts';
import { reportVerification } from '../../contact/verification/operator/report.ts';
import { listStatus } from '../../list/publish/operator/status.ts';
import { checkRegistrar } from '../../party/registrar/operator/account.ts';
import { noun, reading } from '../command.ts';
import { counted } from '../report/text.ts';
import { verb } from '../run.ts';
import { csvOption, figuresText } from '../view.ts';
import { judgedContacts } from './contact/invalid.ts';
import { nounOf } from './history/entry.ts';

const month = verb(
  reading('month', 'report month 2026-10 --csv')
    .description('Count contacts, changes, auctions and names')
    .argument('[month]', 'YYYY-MM, in UTC (default: the current month)', parseMonth)
    .addOption(csvOption()),
  async ({ db, env, origin }, asked, options) => {
    const month = asked ?? dayOf(origin.request.at).slice(0, 7);
    const { contacts, changes, auctions } = await reportMonth(db, month);
    const lists = await listStatus(db, env.LISTS, origin.request.at);
    const data = {
      month,
      contacts,
      changes: changes.map(({ subject, ...change }) => ({ subject: nounOf[subject], ...change })),
      auctions,
      names: lists
        .filter(({ list }) => list !== 'all')
        .map(({ list, published }) => ({ list, count: published?.count ?? 0 })),
    };
    const rows = [
      ...contacts.map(({ registrar, count }) => figure('contacts now', registrar, count)),
      ...data.changes.map((one) => figure('changes', `${one.subject} ${one.action}`, one.count)),
      ...auctions.map(({ outcome, count }) => figure('auctions became', outcome, count)),
      ...data.names.map(({ list, count }) => figure('names published now', list, count)),
    ];
    return { data, text: figuresText(rows, options) || `nothing is recorded of ${month}` };
  },
);

const figure = (section: string, name: string, count: number) => ({ section, name, count });

const invalid = verb(
  reading('invalid', 'report invalid --registrar ALPHA')
    .description("Count the contacts' values that today's rules refuse")
    .option('--registrar <code>', "only this registrar's contacts", asciiUpperCase)
    .addOption(csvOption()),
  async (registry, options) => {
    const { registrar } = options;
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
    const line = `${contacts} of ${counted(checked, 'contact')} have values that today's rules refuse`;
    return { data: { checked, contacts, values }, text: figuresText(values, options, line) };
  },
);

const disclosures = verb(
  reading('disclosures', 'report disclosures')
    .description('Count the requests for disclosure, and the hours until they were answered')
    .addOption(csvOption()),
  async ({ db }, options) => {
    const data = await reportDisclosures(db);
    const { count, median_hours: median, longest_hours: longest } = data.all;
    const times =
      median === null ? '' : `, answered in ${median} hours (median), ${longest} at most`;
    const line = `${counted(count, 'request')}${times}`;
    return { data, text: figuresText(data.requests, options, line) };
  },
);

const verification = verb(
  reading('verification', 'report verification --registrar ALPHA')
    .description('Count what is verified of contacts, how old that is, and what is demanded')
    .option('--registrar <code>', 'only this registrar', asciiUpperCase)
    .addOption(csvOption()),
  async ({ db, origin }, options) => {
    await checkRegistrar(db, options.registrar);
    const registrars = await reportVerification(db, options.registrar, origin.request.at);
    const rows = registrars.flatMap(({ claims, ...others }) =>
      claims.map((count) => ({ ...others, ...count })),
    );
    return { data: { registrars }, text: figuresText(rows, options) || 'there are no contacts' };
  },
);

const reports = [month, invalid, disclosures, verification];
export const reportCommand = noun('report', 'Figures', reports);

function parseMonth(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Write the month as 2026-10.');
}
