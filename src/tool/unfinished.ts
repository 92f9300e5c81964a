import { limitTime } from '../base/database/retry.ts';
import { RegistryError } from '../base/error.ts';
import { findRevertible } from '../undo/problems.ts';
import { messageOf } from '../view/message.ts';
import { countText } from '../view/text.ts';
import { commandLine, typedWords } from './command.ts';
import type { Registry } from './registry.ts';

type Progress = NonNullable<Awaited<ReturnType<typeof progressOf>>>;

/** A command that failed after it had written something. */
export class UnfinishedError extends Error {
  readonly progress: Progress;

  constructor(cause: unknown, progress: Progress) {
    super(messageOf(cause), { cause });
    this.progress = progress;
  }
}

/** What a command that did not come to its last batch has written, and the commands that help. Undefined for nothing. */
export async function progressOf(registry: Registry, cause?: unknown) {
  const { batches, db, origin } = registry;
  if (!batches || batches.written + batches.uncertain === 0) return undefined;
  const { written, uncertain, one, hasLists, total, restOption } = batches;
  const { requestId: request } = origin.request;
  const isRefused = cause instanceof RegistryError;
  const words = typedWords.getStore()!;
  const rest = isRefused && restOption && !words.includes(restOption) ? [restOption] : [];
  const repeat = commandLine([...words, ...rest]);
  // If this read fails, the command itself says whether it can.
  const isRevertible = await limitTime(5_000, findRevertible(db, request)).catch(() => undefined);
  const revert = registry.commandLine(['history', 'revert', request]);
  const takeBack = isRevertible === false ? undefined : revert;
  const more = uncertain === 0 ? '' : `, and perhaps ${uncertain} more`;
  return {
    data: {
      request_id: request,
      written,
      uncertain,
      repeat,
      ...(takeBack && { take_back: takeBack }),
    },
    lines: [
      `${countText(written, `${one} was`, `${one}s were`)} written${more}, by request ${request}`,
      ...(isRefused && total !== undefined
        ? [`${countText(total - written, `${one} was`, `${one}s were`)} not`]
        : []),
      `to write the rest${rest.length > 0 ? ' but what has changed' : ''}: ${repeat}`,
      ...(takeBack ? [`to take back what was written: ${takeBack}`] : []),
      ...(hasLists ? ['either command publishes the lists'] : []),
    ],
  };
}

/** Waits for the batch that is being written. */
export async function explainInterruption(registry: Registry): Promise<string> {
  await registry.batches?.settle();
  const progress = await progressOf(registry);
  return progress ? progress.lines.join('\n') : 'nothing was written';
}

/** Returns the error of a change that may or may not have been made. */
export function uncertainError(error: unknown): unknown {
  if (error instanceof RegistryError) return error;
  const message = `${messageOf(error)}; all or part of the change may have been made: check, then repeat the command`;
  return new RegistryError('unexpected', message);
}
