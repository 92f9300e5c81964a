import type { ListName } from '../../public-list/lists.ts';
import { commandLine } from '../command.ts';
import { counted } from './text.ts';

/** A part of a command's work that is done row by row. */
export interface Work {
  label: string;
  done: number;
  total: number;
}

/** The progress of a command. */
interface Standing {
  /** The words that finish it: its own, or those that publish. */
  args: readonly string[];
  /** Whether it may have changed something, or has. */
  isChanged: 'no' | 'perhaps' | 'yes';
  steps: Work[];
  /** The lists that its changes belong in. */
  lists: readonly ListName[];
}

/** The state is the process's, which runs one command at a time. */
let standing: Standing;
startStanding([]);

export function startStanding(args: readonly string[]): void {
  standing = { args, isChanged: 'no', steps: [], lists: [] };
}

export function updateStanding(changes: Partial<Omit<Standing, 'steps'>>): void {
  Object.assign(standing, changes);
}

/** A question comes before the change: until this is disposed of, nothing is changed. */
export function standStillWhileAsking(): Disposable {
  const { isChanged } = standing;
  updateStanding({ isChanged: 'no' });
  return { [Symbol.dispose]: () => updateStanding({ isChanged }) };
}

/** Announces or begins a step, whose `done` is then counted up. */
export function addWork(label: string, total: number): Work {
  const announced = standing.steps.find(
    (step) => step.label === label && step.total === total && step.done === 0,
  );
  if (announced) return announced;
  const step = { label, done: 0, total };
  standing.steps.push(step);
  return step;
}

/** Labels of work that leaves everything as it was until its last step. */
const withoutEffect = ['checking', 'replacing'];

/**
 * The report of a command that ends before it is done: the work done and not done, the lists not published, and the way to
 * go on; undefined if it has changed nothing. A row counts as done when its batch has returned, so there may be more of them.
 */
export function standingReport() {
  const { args, isChanged, lists } = standing;
  const isStarting = ({ label, done, total }: Work) =>
    withoutEffect.includes(label) && done < total;
  if (isChanged === 'no' || standing.steps.some(isStarting)) return undefined;
  const steps = standing.steps.filter(({ label }) => !withoutEffect.includes(label));
  const done = steps.reduce((sum, step) => sum + step.done, 0);
  const left = steps.reduce((sum, step) => sum + step.total, 0) - done;
  const repeat = commandLine(args);
  // Of other work, the repetition might be refused, or do harm.
  const isRepeatable = isChanged === 'yes' ? lists.length > 0 : standing.steps.length > 0;
  const advice = {
    perhaps: isRepeatable
      ? 'to finish, repeat the command, which leaves what is done as it is'
      : 'look whether it was before you repeat the command',
    yes: 'to publish',
  }[isChanged];
  const rows = `at least ${counted(done, 'row')} done, ${left} not`;
  const what = { perhaps: 'the change may have been made', yes: 'the change was made' }[isChanged];
  return {
    data: {
      changed: isChanged === 'yes' || done > 0 ? true : null,
      ...(steps.length > 0 && { rows_done: done, rows_left: left }),
      ...(lists.length > 0 && { not_published: lists }),
      ...(isRepeatable && { repeat }),
    },
    text: [
      steps.length > 0 ? rows : what,
      ...(lists.length > 0 ? [`not published yet: ${lists.join(', ')}`] : []),
      ...(isRepeatable || isChanged === 'perhaps' ? [`${advice}: ${repeat}`] : []),
    ].join('; '),
    hasDone: isChanged === 'yes' || done > 0,
  };
}
