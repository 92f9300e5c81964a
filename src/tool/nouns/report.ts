import { reportDisclosures } from '../../contact/operator/disclosure/read.ts';
import { noun, reading } from '../command.ts';
import { counted } from '../report/text.ts';
import { verb } from '../run.ts';
import { csvOption, figures } from '../view.ts';

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
    return { data, ...figures(data.requests, options, line) };
  },
);

export const reportCommand = noun('report', 'Figures', [disclosures]);
