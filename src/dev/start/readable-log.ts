import { stripVTControlCharacters, styleText } from 'node:util';

import { printable } from '../../view/text.ts';

type Fields = Record<string, unknown>;

/** The JSON of a line of the Worker's log, without wrangler's label of errors and warnings. */
export function logEntry(line: string): string | undefined {
  return /^(?:\S+ \[(?:ERROR|WARNING)\] )?(\{"level":.*\})\s*$/.exec(
    stripVTControlCharacters(line),
  )?.[1];
}

/** Undefined for lines that are no entry of the Worker's log. */
export function readableLine(line: string, now: Date): string | undefined {
  const entry = logEntry(line);
  if (entry === undefined) return undefined;
  const fields: Fields = JSON.parse(entry, (name, value) =>
    typeof value === 'string' && name !== 'stack' ? printable(value) : value,
  );
  const text = fields.event === 'request' ? requestText(fields) : eventText(fields);
  return `${styleText('dim', now.toTimeString().slice(0, 8))} ${text}`;
}

function requestText(fields: Fields): string {
  const { method, route, status, duration_ms, registrar, system, refusal, d1, kv } = fields;
  const counts = [registrar, system, refusal, d1 && `d1 ${d1}`, kv && `kv ${kv}`].filter(Boolean);
  const called = `${String(method).padEnd(7)} ${String(route).padEnd(34)}`;
  const answered = styleText(Number(status) < 500 ? 'cyan' : 'red', String(status));
  const text = `${called} ${answered} ${`${duration_ms} ms`.padStart(7)}`;
  return counts.length === 0 ? text : `${text} ${styleText('dim', counts.join(', '))}`;
}

function eventText({ level, event, ...details }: Fields): string {
  const style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'cyan';
  const head = styleText(style, String(level).padEnd(7));
  if (event === 'unexpected') {
    const [, frames = ''] = /((?:\n\s+at .*)+)/.exec(String(details.stack)) ?? [];
    return `${head} ${details.name}: ${details.message}${styleText('dim', frames)}`;
  }
  const texts = Object.entries(details).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${head} ${String(event).replaceAll('_', ' ')}`, texts.join(', ')]
    .filter(Boolean)
    .join(': ');
}
