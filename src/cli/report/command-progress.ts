import type { ListName } from '../../public-list/lists.ts';
import { commandLine } from '../command.ts';
import { counted } from './text.ts';

/** A step that is done row by row. */
export interface Work {
  label: string;
  done: number;
  total: number;
}

interface CommandProgress {
  /** The arguments that finish the command: its own, or those that publish. */
  args: readonly string[];
  /** Whether the registry is changed. */
  isChanged: 'no' | 'perhaps' | 'yes';
  steps: Work[];
  /** The lists to publish after the change. */
  lists: readonly ListName[];
}

/** Module state, because a process runs one command at a time. */
let progress: CommandProgress;
startCommandProgress([]);

export function startCommandProgress(args: readonly string[]): void {
  progress = { args, isChanged: 'no', steps: [], lists: [] };
}

export function noteCommandProgress(changes: Partial<Omit<CommandProgress, 'steps'>>): void {
  Object.assign(progress, changes);
}

/** An interrupt says that nothing was changed, until this is disposed of: questions come before the change. */
export function unchangedWhileAsking(): Disposable {
  const { isChanged } = progress;
  noteCommandProgress({ isChanged: 'no' });
  return { [Symbol.dispose]: () => noteCommandProgress({ isChanged }) };
}

/** Announces or begins a step. The caller counts up its `done`. */
export function addWork(label: string, total: number): Work {
  const announced = progress.steps.find(
    (step) => step.label === label && step.total === total && step.done === 0,
  );
  if (announced) return announced;
  const step = { label, done: 0, total };
  progress.steps.push(step);
  return step;
}

/** The labels of steps that change nothing before their last row. */
const withoutEffect = ['checking', 'replacing'];

/**
 * What a command that ends early has done and not done, which lists it has not published, and how to go on; undefined if it
 * has changed nothing. Rows count as done when their batch has returned, so more of them may be.
 */
export function unfinishedReport() {
  const { args, isChanged, lists } = progress;
  const isStarting = ({ label, done, total }: Work) =>
    withoutEffect.includes(label) && done < total;
  if (isChanged === 'no' || progress.steps.some(isStarting)) return undefined;
  const steps = progress.steps.filter(({ label }) => !withoutEffect.includes(label));
  const done = steps.reduce((sum, step) => sum + step.done, 0);
  const left = steps.reduce((sum, step) => sum + step.total, 0) - done;
  const repeat = commandLine(args);
  // Repeating any other command might be refused, or do harm.
  const isRepeatable = isChanged === 'yes' ? lists.length > 0 : progress.steps.length > 0;
  const advice = {
    perhaps: isRepeatable
      ? 'to finish, repeat the command, which leaves what is done as it is'
      : 'check whether it was before you repeat the command',
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
