import type { ListName } from '../../list/lists.ts';
import { commandLine } from '../command.ts';

interface CommandProgress {
  /** The arguments that finish the command: its own, or those that publish. */
  args: readonly string[];
  /** Whether the registry is changed. */
  isChanged: 'no' | 'perhaps' | 'yes';
  /** Whether the command leaves what it has done as it is when it is repeated, and does the rest. */
  isRepeatable: boolean;
  /** The lists to publish after the change. */
  lists: readonly ListName[];
}

/** Module state, because a process runs one command at a time. */
let progress: CommandProgress;
startCommandProgress([]);

export function startCommandProgress(args: readonly string[]): void {
  progress = { args, isChanged: 'no', isRepeatable: false, lists: [] };
}

export function noteCommandProgress(changes: Partial<CommandProgress>): void {
  Object.assign(progress, changes);
}

/** An interrupt says that nothing was changed, until this is disposed of: questions come before the change. */
export function unchangedWhileAsking(): Disposable {
  const { isChanged } = progress;
  noteCommandProgress({ isChanged: 'no' });
  return { [Symbol.dispose]: () => noteCommandProgress({ isChanged }) };
}

/**
 * What a command that ends early has done, which lists it has not published, and how to go on; undefined if it has changed
 * nothing.
 */
export function unfinishedReport() {
  const { args, isChanged, isRepeatable, lists } = progress;
  if (isChanged === 'no') return undefined;
  const isMade = isChanged === 'yes';
  const repeat = commandLine(args);
  // Repeating any other command might be refused, or do harm.
  const isAdvised = isMade ? lists.length > 0 : isRepeatable;
  const [done, careful] = isRepeatable
    ? ['a part may be done', 'to finish, repeat the command, which leaves what is done as it is']
    : ['the change may have been made', 'check whether it was before you repeat the command'];
  return {
    data: {
      changed: isMade ? true : null,
      ...(lists.length > 0 && { not_published: lists }),
      ...(isAdvised && { repeat }),
    },
    text: [
      isMade ? 'the change was made' : done,
      ...(lists.length > 0 ? [`not published yet: ${lists.join(', ')}`] : []),
      ...(isAdvised || !isMade ? [`${isMade ? 'to publish' : careful}: ${repeat}`] : []),
    ].join('; '),
    /** Whether a part may be done although the rest is refused. */
    isPartial: isMade || isRepeatable,
  };
}
