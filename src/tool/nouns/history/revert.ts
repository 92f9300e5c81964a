import type { HistorySubject } from '../../../../drizzle/schema.ts';
import { changesRepresentation } from '../../../change/history/changes.ts';
import { auctionLists, type ListName, listsShowing } from '../../../list/lists.ts';
import type { Reversal } from '../../../undo/reversal.ts';
import { planRevert, revert } from '../../../undo/revert.ts';
import { changeTexts } from '../../../view/changes.ts';
import { nounOf } from '../../../view/history.ts';
import { countText } from '../../../view/text.ts';
import { writeCommand } from '../../command.ts';
import { confirm } from '../../report/confirm.ts';
import { verb } from '../../run.ts';

const shownReversals = 20;

const listsOf: Partial<Record<HistorySubject, readonly ListName[]>> = {
  retained_domain: listsShowing(['reserved', 'blocked']),
  dispute: listsShowing(['disputed']),
  auction: auctionLists,
};

export const revertVerb = verb(
  writeCommand('revert', 'history revert 0d2f7a2e-5a0e-4c40-8ad4-5c8a2b6f3f11 --dry-run')
    .description('Take back what one command of the operator changed')
    .argument('<request>', 'the id of its request, as history shows it')
    .addHelpText(
      'after',
      `
Takes back changes of names, auctions, domains and contacts: all of the request or none. It is refused where something
has changed since, and where the history no longer has the values. It can be taken back as well, unless it removed a
transfer's copies.`,
    ),
  async (registry, request, options) => {
    const { isDryRun, did } = registry;
    const plan = await planRevert(registry, request);
    const { reversals, warnings } = plan;
    const subjects = new Set(reversals.map(({ subject }) => subject));
    const publish = [...new Set([...subjects].flatMap((subject) => listsOf[subject] ?? []))];
    const notes = warnings.map((warning) => `note: ${warning}`);
    const data = {
      request,
      changes: reversals.map(reversalData),
      ...(warnings.length > 0 && { warnings }),
    };
    const what = `request ${request}: ${countText(reversals.length, 'change')}`;
    const lines = [`would revert ${what}`, ...reversals.map(reversalText)];
    if (isDryRun) {
      const text = [...lines, ...notes];
      return { data: { ...data, changed: false }, text, publish };
    }
    if (!options.yes) {
      const hidden = lines.splice(1 + shownReversals).length;
      if (hidden > 0) lines.push(`  and ${hidden} more, which --dry-run shows`);
      await confirm([...lines, ...notes, 'This makes these changes.']);
    }
    await revert(registry, plan);
    const text = [`${did('revert')} ${what}`, ...notes].join('; ');
    return { data: { ...data, changed: true }, text, publish };
  },
);

function reversalData({ action, subject, key, uuid, changes }: Reversal) {
  return { action, subject: nounOf[subject], key, uuid, changes: changesRepresentation(changes) };
}

function reversalText({ action, subject, key, changes }: Reversal): string {
  return `  ${action} ${nounOf[subject]} ${key}: ${changeTexts(changes).join('; ')}`;
}
