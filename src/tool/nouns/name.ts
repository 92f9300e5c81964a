import type { Sentence } from '../../base/text/sentence.ts';
import { auctionsView } from '../../view/auction.ts';
import { disputesView } from '../../view/dispute.ts';
import { domainsView } from '../../view/domain.ts';
import { historyData } from '../../view/history.ts';
import { changeSentences, entrySentence } from '../../view/history-sentences.ts';
import { findNameFacts, intervalsView, intervalText } from '../../view/name.ts';
import { retainedView } from '../../view/retained.ts';
import { namingIn, sentenceText } from '../../view/sentence.ts';
import { readCommand } from '../command.ts';
import { say } from '../report/output.ts';
import { verb } from '../run.ts';
import { rowsReport } from '../view.ts';

/** Of the history; `history` shows more. */
const shownEntries = 10;

export const nameCommand = verb(
  readCommand('name', 'name kohv.ee', 'name https://www.kohv.ee/', 'name kohv.ee --json')
    .description('Show everything that is true of a name now, and was')
    .argument('<name>', 'the name, or an address of a page or of e-mail with it'),
  async (registry, text) => {
    const found = await findNameFacts(registry, text);
    const { name, understood, sentences, kept, entries, ...facts } = found;
    if (understood) say(understood);
    const reports = [
      rowsReport(domainsView, facts.registered),
      rowsReport(retainedView, facts.retained),
      rowsReport(disputesView, facts.disputes),
      rowsReport(auctionsView, facts.auctions),
      rowsReport(intervalsView, facts.intervals),
    ];
    const data = Object.assign({ name }, ...reports.map(({ data }) => data));
    const nameOf = namingIn(registry.db);
    const linesOf = (indent: string, all: readonly Sentence[]) =>
      Promise.all(all.map(async (one) => indent + (await sentenceText(one, nameOf))));
    const happened = entries
      .slice(0, shownEntries)
      .map(async (entry) => [
        '',
        ...(await linesOf('', [[{ instant: entry.occurredAt }, ': ', ...entrySentence(entry)]])),
        ...(await linesOf('    ', changeSentences(entry))),
      ]);
    const was = facts.past.map((interval) => `  ${intervalText(interval)}`);
    return {
      data: { ...data, history: entries.map(historyData) },
      text: [
        (await linesOf('', sentences)).join(' '),
        await linesOf('', kept),
        was.length > 0 ? ['', 'Formerly, it was:', ...was] : [],
        ...(await Promise.all(happened)),
      ],
    };
  },
);
