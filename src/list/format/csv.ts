import { type ListName, publicLists } from '../lists.ts';
import { entryOf } from './entry.ts';

/** An entry of a list. Neither names nor statuses contain brackets. */
const entryPattern = /\{[^{}[]*\}/g;

const row = (fields: readonly string[]) => `${fields.join()}\r\n`;

/**
 * Returns the list's JSON as CSV (RFC 4180), a row for each entry; the byte-order mark lets spreadsheets read it as UTF-8. No field needs quotes,
 * and none is a formula to a spreadsheet: a name has letters, marks, digits, hyphens and dots, and begins with a letter or a digit.
 */
export function csvOf(list: ListName, json: ReadableStream): ReadableStream {
  let rest = '';
  const rows = new TransformStream<string, string>({
    start(controller) {
      const { json } = entryOf(['', '', publicLists[list].entries[0]]);
      controller.enqueue(`\ufeff${row(Object.keys(JSON.parse(json)))}`);
    },
    transform(chunk, controller) {
      rest += chunk;
      const found = rest.match(entryPattern) ?? [];
      rest = rest.slice(rest.lastIndexOf('}') + 1);
      const entries: Record<string, string>[] = JSON.parse(`[${found.join()}]`);
      controller.enqueue(entries.map((entry) => row(Object.values(entry))).join(''));
    },
  });
  return json
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(rows)
    .pipeThrough(new TextEncoderStream());
}
