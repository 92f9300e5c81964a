import type { Database } from '../../database/open.ts';
import { dayOf } from '../../day.ts';
import type { Head } from '../format/head.ts';
import type { ListName } from '../lists.ts';
import { MissingBlockError } from '../publish/writer.ts';
import { republish } from './list.ts';
import { findHead, type Reader } from './reader.ts';

/** Two ways to read the same thing: from the list as it was last published, and from its source as it is on a day. */
interface Ways<Result> {
  fromHead: (head: Head) => Promise<Result>;
  fromDatabase: (db: Database, day: string) => Promise<Result>;
}

/**
 * Reads from KV, or from the database if KV has no such list, lacks a part of it, or fails. A list that is missing or
 * incomplete is published again after the answer.
 */
export async function readWithFallback<Result>(
  list: ListName,
  reader: Reader,
  { fromHead, fromDatabase }: Ways<Result>,
): Promise<Result> {
  try {
    const head = await findHead(list, reader);
    if (head) return await fromHead(head);
    reader.later(republish(list, reader, 'empty'));
  } catch (error) {
    if (error instanceof MissingBlockError) reader.later(republish(list, reader, 'broken'));
  }
  return fromDatabase(reader.db(), dayOf(reader.clock()));
}
