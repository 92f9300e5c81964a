import type { HistorySubject } from '../../../../drizzle/schema.ts';
import type { Problem } from '../../../base/error.ts';
import { changesRepresentation } from '../../../change/history/changes.ts';
import { auctionLists, type ListName, listsShowing } from '../../../list/lists.ts';
import type { Reversal } from '../../../undo/reversal.ts';
import { planRevert, type RevertPlan, revert } from '../../../undo/revert.ts';
import { changeTexts } from '../../../view/changes.ts';
import { nounOf } from '../../../view/history.ts';
import { countText } from '../../../view/text.ts';
import { writeCommand } from '../../command.ts';
import type { Registry } from '../../registry.ts';
import { Batches } from '../../report/batches.ts';
import { confirm } from '../../report/confirm.ts';
import { startProgress } from '../../report/progress.ts';
import { type Report, verb } from '../../run.ts';

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
Takes back changes of names, auctions, domains and contacts. It is refused where something has changed since, and where
the history no longer has the values. It is judged as a whole, and makes all changes or none; of more than 5,000, as
many at a time: if one is refused then, because somebody changed something meanwhile, the command says what is taken
back and what is not. If it is interrupted, the same command continues. It can be taken back as well, unless it removed
a transfer's copies.`,
    )
    .option('--skip-changed', 'leave what has changed since, and name it, instead of refusing'),
  async (registry, request, options) => {
    const { isDryRun, did } = registry;
    const { skipChanged } = options;
    const plan = await planRevert(registry, request, { skipChanged });
    const { reversals, count, subjects, warnings } = plan;
    if (count === 0) return nothingToRevert(registry, plan);
    const publish = [...new Set([...subjects].flatMap((subject) => listsOf[subject] ?? []))];
    const notes = warnings.map((warning) => `note: ${warning}`);
    const data = {
      request,
      changes: reversals.map(reversalData),
      ...(count > reversals.length && { count }),
      ...(warnings.length > 0 && { warnings }),
    };
    const what = `request ${request}: ${countText(count, 'change')}`;
    const lines = [`would revert ${what}`, ...reversals.map(reversalText)];
    const leaves = remainderLines('would leave', plan.left);
    const others = (shown: number, where = '') =>
      count > shown ? [`  and ${count - shown} more${where}`] : [];
    if (isDryRun) {
      const text = [...lines, ...others(reversals.length), ...leaves, ...notes];
      const left = plan.left.map(({ message }) => message);
      return { data: { ...data, ...(skipChanged && { left }), changed: false }, text, publish };
    }
    if (!options.yes) {
      const shown = lines.slice(0, 1 + shownReversals);
      const where = count > reversals.length ? '' : ', which --dry-run shows';
      await confirm([
        ...shown,
        ...others(shownReversals, where),
        ...leaves,
        ...notes,
        'This makes these changes.',
      ]);
    }
    const batches = new Batches('change', publish.length > 0);
    batches.total = count;
    batches.restOption = '--skip-changed';
    registry.batches = batches;
    using progress = startProgress('reverting', count, count > reversals.length);
    const leftOver = await revert(
      registry,
      plan,
      async (size, write) => {
        await batches.write(size, write);
        progress.advance(size);
      },
      { skipChanged },
    );
    const reverted = `request ${request}: ${countText(batches.written, 'change')}`;
    const left = leftOver.map(({ message }) => message);
    const text = [
      ...remainderLines('left', leftOver),
      [`${did('revert')} ${reverted}`, ...notes].join('; '),
    ];
    return { data: { ...data, ...(skipChanged && { left }), changed: true }, text, publish };
  },
);

/** What a repeated command finds. */
function nothingToRevert(
  { commandLine }: Registry,
  { request, left, takenBack: { count, requests } }: RevertPlan,
): Report {
  const commands = requests.map((each) => commandLine(['history', 'revert', each])).join(', ');
  const done = `request ${request} was taken back by request ${requests.join(', ')}: ${countText(count, 'change')}; to undo that: ${commands}`;
  const isDone = requests.length > 0;
  return {
    data: {
      request,
      changes: [],
      taken_back: { count, requests },
      left: left.map(({ message }) => message),
      changed: false,
    },
    text: [
      ...remainderLines('left', left),
      isDone ? done : `nothing of request ${request} can be taken back`,
    ],
  };
}

const remainderLines = (word: string, left: readonly Problem[]) =>
  left.map(({ message }) => `  ${word}: ${message}`);

function reversalData({ action, subject, key, uuid, changes }: Reversal) {
  return { action, subject: nounOf[subject], key, uuid, changes: changesRepresentation(changes) };
}

function reversalText({ action, subject, key, changes }: Reversal): string {
  return `  ${action} ${nounOf[subject]} ${key}: ${changeTexts(changes).join('; ')}`;
}
